import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { NotificationForm, SavedNotifications } from './schema.gen';

/** The recipients of a device's notifications. */
export function deviceNotificationsQuery(dsn: string) {
  return queryOptions({
    queryKey: ['devices', 'notifications', dsn],
    queryFn: ({ signal }) => call('GET /api/devices/dsns/{dsn}/notifications', { path: { dsn }, signal }),
  });
}

export function createDeviceNotification(dsn: string, body: NotificationForm): Promise<SavedNotifications> {
  return call('POST /api/devices/dsns/{dsn}/notifications', { path: { dsn }, body });
}

export function updateDeviceNotification(dsn: string, id: string, body: NotificationForm): Promise<SavedNotifications> {
  return call('PUT /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn, id }, body });
}

export function deleteDeviceNotification(dsn: string, id: string): Promise<SavedNotifications> {
  return call('DELETE /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn, id } });
}

/** Stores the response to a write. Notifications that could not be read back are read again. */
export function applyDeviceNotifications(client: QueryClient, dsn: string, saved: SavedNotifications): void {
  if (saved.stale) rereadDeviceNotifications(client, dsn);
  else client.setQueryData(deviceNotificationsQuery(dsn).queryKey, saved.notifications);
}

/** Reads the notifications again, because a write may have been carried out in part. */
export function rereadDeviceNotifications(client: QueryClient, dsn: string): void {
  void client.invalidateQueries({ queryKey: deviceNotificationsQuery(dsn).queryKey });
}
