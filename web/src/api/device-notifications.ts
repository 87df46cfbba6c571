import { call } from './http';
import type {
  CreateDeviceNotificationData,
  DeleteDeviceNotificationData,
  DeviceDetail,
  NotificationForm,
  UpdateDeviceNotificationData,
} from './schema.gen';

const ALL = '/api/devices/dsns/{dsn}/notifications';
const ONE = '/api/devices/dsns/{dsn}/notifications/{id}';

export function createDeviceNotification(dsn: string, body: NotificationForm): Promise<DeviceDetail> {
  return call<DeviceDetail, CreateDeviceNotificationData>('POST', { url: ALL, path: { dsn }, body });
}

export function updateDeviceNotification(dsn: string, id: string, body: NotificationForm): Promise<DeviceDetail> {
  return call<DeviceDetail, UpdateDeviceNotificationData>('PUT', { url: ONE, path: { dsn, id }, body });
}

export function deleteDeviceNotification(dsn: string, id: string): Promise<DeviceDetail> {
  return call<DeviceDetail, DeleteDeviceNotificationData>('DELETE', { url: ONE, path: { dsn, id } });
}
