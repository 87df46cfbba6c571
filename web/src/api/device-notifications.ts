import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';
import { call } from './http';
import type { NotificationForm, SavedNotifications } from './schema.gen';

/** How long the server accepts an undo. */
const UNDO_MS = 30_000;

/** A removed notification. */
export interface Removal {
  id: string;
  recipient: string;
  /** End of the undo period in milliseconds since the epoch by the browser's clock. */
  until: number;
}

/** The removed notifications of a device that this browser can still restore. */
export function removalsQuery(dsn: string) {
  return queryOptions<Removal[]>({
    queryKey: ['notification-removals', dsn],
    queryFn: skipToken,
    initialData: [],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: UNDO_MS,
  });
}

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

/** Adds a removed notification again. */
export function undoNotificationRemoval(dsn: string, id: string): Promise<SavedNotifications> {
  return call('POST /api/devices/dsns/{dsn}/notifications/removals/{id}/undo', { path: { dsn, id } });
}

/** Stores the response to a removal. */
export function keepRemoval(client: QueryClient, dsn: string, recipient: string, { undo }: SavedNotifications): void {
  if (!undo) return;
  const removal = { id: undo.id, recipient, until: Date.now() + UNDO_MS };
  client.setQueryData(removalsQuery(dsn).queryKey, (removals = []) => [...removals, removal]);
}

/** Forgets a removal that can no longer be undone. */
export function forgetRemoval(client: QueryClient, dsn: string, id: string): void {
  client.setQueryData(removalsQuery(dsn).queryKey, (removals = []) => removals.filter((removal) => removal.id !== id));
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
