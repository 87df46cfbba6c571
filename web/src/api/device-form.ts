import { queryOptions } from '@tanstack/react-query';
import { isStatus } from './errors';
import { call } from './http';
import type { BaseDevice, DeviceDetail, DeviceForm, NewDevice } from './schema.gen';

const STALE_MS = 60_000;

/** Whether a DSN belongs to a device that can be added. The server checks again on save. */
export function baseDeviceQuery(dsn: string) {
  return queryOptions({
    queryKey: ['devices', 'base', dsn],
    queryFn: ({ signal }) => lookUp(dsn, signal),
    staleTime: STALE_MS,
    retry: false,
  });
}

async function lookUp(dsn: string, signal: AbortSignal): Promise<BaseDevice> {
  try {
    return await call('GET /api/devices/base/{dsn}', { path: { dsn }, signal });
  } catch (error) {
    // The server returns 404 for a text that cannot be a DSN.
    if (isStatus(error, 404)) return { dsn, exists: false, registered: false };
    throw error;
  }
}

export function createDevice(body: NewDevice): Promise<DeviceDetail> {
  return call('POST /api/devices', { body, hasDraft: true });
}

export function updateDevice(dsn: string, body: DeviceForm): Promise<DeviceDetail> {
  return call('PUT /api/devices/dsns/{dsn}', { path: { dsn }, body });
}

/** Reads the device from the cloud again, which also computes its level. */
export function refreshDevice(dsn: string): Promise<DeviceDetail> {
  return call('POST /api/devices/dsns/{dsn}', { path: { dsn } });
}
