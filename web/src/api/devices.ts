import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type {
  DeviceDetail,
  DeviceEvent,
  DeviceList,
  DeviceSettings,
  DeviceView,
  GetDeviceData,
  ListDevicesData,
  UpdateDeviceSettingsData,
} from './schema.gen';

const LISTS = ['devices', 'list'] as const;
const REFRESH_MS = 60_000;

export type DeviceListQuery = NonNullable<ListDevicesData['query']>;

/** Live events change the rows; the refresh finds devices that came or went. */
export function devicesQuery(query: DeviceListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => readList(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** For each list that is being read: the rows that were told meanwhile. They are newer than what the answer will say. */
const reads = new Set<Map<string, DeviceView>>();

async function readList(query: DeviceListQuery, signal: AbortSignal): Promise<DeviceList> {
  const told = new Map<string, DeviceView>();
  reads.add(told);
  try {
    const list = await call<DeviceList, ListDevicesData>('GET', { url: '/api/devices', query }, { signal });
    return { ...list, devices: list.devices.map((row) => told.get(row.dsn) ?? row) };
  } finally {
    reads.delete(told);
  }
}

export function deviceQuery(dsn: string) {
  return queryOptions({
    queryKey: ['devices', 'detail', dsn],
    queryFn: ({ signal }) =>
      call<DeviceDetail, GetDeviceData>('GET', { url: '/api/devices/dsns/{dsn}', path: { dsn } }, { signal }),
  });
}

export function updateDeviceSettings(dsn: string, body: DeviceSettings): Promise<DeviceDetail> {
  return call<DeviceDetail, UpdateDeviceSettingsData>('PUT', {
    url: '/api/devices/dsns/{dsn}/settings',
    path: { dsn },
    body,
  });
}

/** Writes the changed device into every list that shows it; the device page reads again, for its commands. */
export function applyDeviceEvent(client: QueryClient, { dsn, device }: DeviceEvent): void {
  replaceRow(client, device);
  void client.invalidateQueries({ queryKey: deviceQuery(dsn).queryKey });
}

/** Takes over the answer to a write. */
export function applyDeviceDetail(client: QueryClient, device: DeviceDetail): void {
  client.setQueryData(deviceQuery(device.dsn).queryKey, device);
  replaceRow(client, device);
}

/** Reads again whatever device data is on the screen. */
export function rereadDevices(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: ['devices'] });
}

function replaceRow(client: QueryClient, device: DeviceView): void {
  for (const told of reads) told.set(device.dsn, device);
  client.setQueriesData<DeviceList>({ queryKey: LISTS }, (list) => {
    if (!list?.devices.some((row) => row.dsn === device.dsn)) return list;
    return { ...list, devices: list.devices.map((row) => (row.dsn === device.dsn ? device : row)) };
  });
}
