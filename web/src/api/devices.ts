import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { rereadDeviceNotifications } from './device-notifications';
import { call, callForFile } from './http';
import type {
  CopyForm,
  CountDevicesData,
  CspAssignment,
  DeviceDetail,
  DeviceEvent,
  DeviceList,
  DeviceSelection,
  DeviceSettings,
  DeviceView,
  Job,
  ListDevicesData,
  ReportDevicesData,
  ScheduleFrame,
} from './schema.gen';

const LISTS = ['devices', 'list'] as const;
const COUNTS = ['devices', 'counts'] as const;
const REFRESH_MS = 60_000;

export type DeviceListQuery = NonNullable<ListDevicesData['query']>;
export type DeviceFilterQuery = NonNullable<CountDevicesData['query']>;

/** Live events change the rows and say when to read again; the refresh keeps a list that nothing happens to from looking old. */
export function devicesQuery(query: DeviceListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => readList(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** How many of the devices that match have each status, and how many a low level. */
export function deviceCountsQuery(query: DeviceFilterQuery) {
  return queryOptions({
    queryKey: [...COUNTS, query],
    queryFn: ({ signal }) => call('GET /api/devices/counts', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** Which devices match, for a job. Throws `ApiError` when they are too many for one. */
export function selectDevices(query: DeviceFilterQuery): Promise<DeviceSelection> {
  return call('GET /api/devices/selection', { query });
}

/** All devices that match, as a file. */
export function reportDevices(query: ReportDevicesData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/devices/report', { query, signal });
}

/** For each list that is being read: what was told meanwhile, null of a device that went. It is newer than the answer will be. */
const reads = new Set<Map<string, DeviceView | null>>();

async function readList(query: DeviceListQuery, signal: AbortSignal): Promise<DeviceList> {
  const told = new Map<string, DeviceView | null>();
  reads.add(told);
  try {
    const list = await call('GET /api/devices', { query, signal });
    return [...told].reduce((list, [dsn, device]) => withRow(list, dsn, device), list);
  } finally {
    reads.delete(told);
  }
}

export function deviceQuery(dsn: string) {
  return queryOptions({
    queryKey: ['devices', 'detail', dsn],
    queryFn: ({ signal }) => call('GET /api/devices/dsns/{dsn}', { path: { dsn }, signal }),
  });
}

export function updateDeviceSettings(dsn: string, body: DeviceSettings): Promise<DeviceDetail> {
  return call('PUT /api/devices/dsns/{dsn}/settings', { path: { dsn }, body });
}

/** Gives devices to a CSP; the job that does it. */
export function assignCsp(body: CspAssignment): Promise<Job> {
  return call('PUT /api/devices/csp', { body });
}

/** These frames; the others stay as they are. */
export function updateDeviceSchedule(dsn: string, body: ScheduleFrame[]): Promise<DeviceDetail> {
  return call('PUT /api/devices/dsns/{dsn}/schedule', { path: { dsn }, body });
}

/** Copies what is kept of a device to others; the job that does it. */
export function copyDevice(dsn: string, body: CopyForm): Promise<Job> {
  return call('POST /api/devices/dsns/{dsn}/copy', { path: { dsn }, body });
}

/** Writes the changed device into every list that shows it; the device page reads again, for its commands. */
export function applyDeviceEvent(client: QueryClient, { dsn, kind, device }: DeviceEvent): void {
  tell(client, dsn, device);
  void client.invalidateQueries({ queryKey: deviceQuery(dsn).queryKey });
  // An edit may have changed the notifications; values and connections do not.
  if (kind === 'changed') rereadDeviceNotifications(client, dsn);
}

/** Takes a device that is gone out of every list; its page reads again, and finds nothing. */
export function dropDevice(client: QueryClient, dsn: string): void {
  tell(client, dsn, null);
  void client.invalidateQueries({ queryKey: deviceQuery(dsn).queryKey });
}

/** Takes over the answer to a write. */
export function applyDeviceDetail(client: QueryClient, device: DeviceDetail): void {
  client.setQueryData(deviceQuery(device.dsn).queryKey, device);
  tell(client, device.dsn, device);
}

/** Reads again whatever device data is on the screen. */
export function rereadDevices(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ['devices'] });
}

/** Reads again the lists on the screen and their counts, without giving up a read that is under way. */
export async function rereadDeviceLists(client: QueryClient): Promise<void> {
  void client.invalidateQueries({ queryKey: COUNTS }, { cancelRefetch: false });
  const read = () => client.invalidateQueries({ queryKey: LISTS }, { cancelRefetch: false });
  const isUnderWay = client.isFetching({ queryKey: LISTS, type: 'active' }) > 0;
  await read();
  // What was under way may have begun before the change.
  if (isUnderWay) await read();
}

function tell(client: QueryClient, dsn: string, device: DeviceView | null): void {
  for (const told of reads) told.set(dsn, device);
  client.setQueriesData<DeviceList>({ queryKey: LISTS }, (list) => list && withRow(list, dsn, device));
}

/** The list with another row of this device, or without it; the same list when it is not there. */
function withRow(list: DeviceList, dsn: string, device: DeviceView | null): DeviceList {
  if (!list.devices.some((row) => row.dsn === dsn)) return list;
  if (device) return { ...list, devices: list.devices.map((row) => (row.dsn === dsn ? newRow(row, device) : row)) };
  return { ...list, devices: list.devices.filter((row) => row.dsn !== dsn), total: list.total - 1 };
}

/** How far away a device is stands in the rows of a list alone. */
function newRow({ distanceKm }: DeviceView, device: DeviceView): DeviceView {
  return distanceKm === undefined ? device : { distanceKm, ...device };
}
