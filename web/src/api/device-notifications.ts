import { call } from './http';
import type { DeviceDetail, NotificationForm } from './schema.gen';

export function createDeviceNotification(dsn: string, body: NotificationForm): Promise<DeviceDetail> {
  return call('POST /api/devices/dsns/{dsn}/notifications', { path: { dsn }, body });
}

export function updateDeviceNotification(dsn: string, id: string, body: NotificationForm): Promise<DeviceDetail> {
  return call('PUT /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn, id }, body });
}

export function deleteDeviceNotification(dsn: string, id: string): Promise<DeviceDetail> {
  return call('DELETE /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn, id } });
}
