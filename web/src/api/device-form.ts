import { type QueryClient, queryOptions } from '@tanstack/react-query';
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

/** The device of a typed DSN. Labels print capitals, which a DSN that is unknown in lower case is tried in. */
export async function fetchBaseDevice(client: QueryClient, typed: string): Promise<BaseDevice> {
  const device = await client.fetchQuery(baseDeviceQuery(typed));
  const capitals = typed.toUpperCase();
  if (device.exists || capitals === typed) return device;
  const other = await client.fetchQuery(baseDeviceQuery(capitals));
  return other.exists ? other : device;
}

/** The DSN that a typed one stands for; the typed one if that cannot be read, because the server checks it. */
export async function knownDsn(client: QueryClient, typed: string): Promise<string> {
  const dsn = typed.trim();
  if (dsn === dsn.toUpperCase()) return typed;
  const device = await fetchBaseDevice(client, dsn).catch(() => undefined);
  return device?.exists ? device.dsn : typed;
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
