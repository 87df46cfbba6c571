import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { DeviceNotification, NotificationForm } from './schema.gen';

/** The recipients of a device's notifications. */
export function deviceNotificationsQuery(dsn: string) {
  return queryOptions({
    queryKey: ['devices', 'notifications', dsn],
    queryFn: ({ signal }) => call('GET /api/devices/dsns/{dsn}/notifications', { path: { dsn }, signal }),
  });
}

export function createDeviceNotification(dsn: string, body: NotificationForm): Promise<DeviceNotification[]> {
  return call('POST /api/devices/dsns/{dsn}/notifications', { path: { dsn }, body });
}

export function updateDeviceNotification(
  dsn: string,
  id: string,
  body: NotificationForm,
): Promise<DeviceNotification[]> {
  return call('PUT /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn, id }, body });
}

export function deleteDeviceNotification(dsn: string, id: string): Promise<DeviceNotification[]> {
  return call('DELETE /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn, id } });
}

/** Stores the response to a write. */
export function applyDeviceNotifications(client: QueryClient, dsn: string, notifications: DeviceNotification[]): void {
  client.setQueryData(deviceNotificationsQuery(dsn).queryKey, notifications);
}

/** Reads the notifications again, because a write may have been carried out in part. */
export function rereadDeviceNotifications(client: QueryClient, dsn: string): void {
  void client.invalidateQueries({ queryKey: deviceNotificationsQuery(dsn).queryKey });
}
