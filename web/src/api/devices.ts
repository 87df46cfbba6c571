import {
  keepPreviousData,
  type QueryClient,
  type QueryFunctionContext,
  type QueryKey,
  queryOptions,
} from '@tanstack/react-query';
import { epochMs } from '@/domain/instant';
import { readIfChanged } from './conditional-reads';
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
  DeviceSettingsForm,
  DeviceView,
  Job,
  ListDevicesData,
  ListFacetsData,
  ReportDevicesData,
  ReportPurchasingData,
  ScheduleForm,
} from './schema.gen';

const LISTS = ['devices', 'list'] as const;
const COUNTS = ['devices', 'counts'] as const;
export const FACETS = ['devices', 'facets'] as const;
const REFRESH_MS = 60_000;

export type DeviceListQuery = NonNullable<ListDevicesData['query']>;
export type DeviceFilterQuery = NonNullable<CountDevicesData['query']>;

export type DeviceFacetsQuery = ListFacetsData['query'];

/** Live events change rows and request rereads; the interval keeps an idle list from looking stale. */
export function devicesQuery(query: DeviceListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: (context) => readList(query, context),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** The number of matching devices by status, and with a low level. */
export function deviceCountsQuery(query: DeviceFilterQuery) {
  return queryOptions({
    queryKey: [...COUNTS, query],
    queryFn: (context) => readIfChanged('GET /api/devices/counts', query, context),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** The matching devices, for a job. Throws `ApiError` if there are too many. */
export function selectDevices(query: DeviceFilterQuery): Promise<DeviceSelection> {
  return call('GET /api/devices/selection', { query });
}

/** A report of all matching devices. */
export function reportDevices(query: ReportDevicesData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/devices/report', { query, signal });
}

/** How many cartridges the matching devices need until a day. */
export function reportPurchasing(query: ReportPurchasingData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/devices/purchasing', { query, signal });
}

/** For each list that is being read, the rows that changed meanwhile, null for a removed device. They are newer than the response. */
const listReads = new Set<Map<string, DeviceView | null>>();

async function readList(query: DeviceListQuery, context: QueryFunctionContext): Promise<DeviceList> {
  const changed = new Map<string, DeviceView | null>();
  listReads.add(changed);
  try {
    const list = await readIfChanged('GET /api/devices', query, context);
    return [...changed].reduce((list, [dsn, device]) => withRow(list, dsn, device), list);
  } finally {
    listReads.delete(changed);
  }
}

export function deviceQuery(dsn: string) {
  return queryOptions({
    queryKey: deviceKey(dsn),
    queryFn: ({ signal, client }) => readDevice(client, dsn, signal),
  });
}

function deviceKey(dsn: string): readonly ['devices', 'detail', string] {
  return ['devices', 'detail', dsn];
}

/** Maximum number of reads in a row of a device that keeps changing. The last read is shown, and the device is read again later. */
const MAX_READS = 3;
const READ_AGAIN_MS = 1_000;

/** The devices that are being read, and whether they changed meanwhile. */
const deviceReads = new Set<{ dsn: string; isOutdated: boolean }>();

/**
 * Reads a device, again if it changed meanwhile: an event reaches a query without observers, such as that of a page that
 * is loading, only here.
 */
async function readDevice(client: QueryClient, dsn: string, signal: AbortSignal): Promise<DeviceDetail> {
  for (let reads = 1; ; reads += 1) {
    const read = { dsn, isOutdated: false };
    deviceReads.add(read);
    try {
      const device = await call('GET /api/devices/dsns/{dsn}', { path: { dsn }, signal });
      if (!read.isOutdated) return newer(client, device);
      if (reads === MAX_READS) {
        setTimeout(() => rereadDevice(client, dsn), READ_AGAIN_MS);
        return newer(client, device);
      }
    } finally {
      deviceReads.delete(read);
    }
  }
}

/** The stored device if it is newer than a read that took longer, or else the read. */
function newer(client: QueryClient, device: DeviceDetail): DeviceDetail {
  const stored = client.getQueryData<DeviceDetail>(deviceKey(device.dsn));
  return stored && epochMs(stored.asOf) > epochMs(device.asOf) ? stored : device;
}

export function rereadDevice(client: QueryClient, dsn: string): void {
  // A read in progress is repeated when it ends, so that there is one at a time.
  for (const read of deviceReads) read.isOutdated ||= read.dsn === dsn;
  void client.invalidateQueries({ queryKey: deviceKey(dsn) }, { cancelRefetch: false });
}

export function updateDeviceSettings(dsn: string, body: DeviceSettingsForm): Promise<DeviceDetail> {
  return call('PUT /api/devices/dsns/{dsn}/settings', { path: { dsn }, body });
}

/** Starts a job that assigns devices to a CSP. */
export function assignCsp(body: CspAssignment): Promise<Job> {
  return call('PUT /api/devices/csp', { body });
}

/** Stores frames of the schedule; other frames are not changed. */
export function updateDeviceSchedule(dsn: string, body: ScheduleForm): Promise<DeviceDetail> {
  return call('PUT /api/devices/dsns/{dsn}/schedule', { path: { dsn }, body });
}

/** Starts a job that copies the configuration of a device to others. */
export function copyDevice(dsn: string, body: CopyForm): Promise<Job> {
  return call('POST /api/devices/dsns/{dsn}/copy', { path: { dsn }, body });
}

/** Stores the changed device in every list that contains it, and its detail; without a detail the device is read again. */
export function applyDeviceEvent(client: QueryClient, { dsn, kind, device, detail }: DeviceEvent): void {
  applyRow(client, dsn, device);
  if (!detail) rereadDevice(client, dsn);
  // A tab that does not show the device does not store it.
  else if (client.getQueryState(deviceKey(dsn))) client.setQueryData(deviceKey(dsn), newer(client, detail));
  // An edit may have changed the notifications; values and connections do not.
  if (kind === 'changed') rereadDeviceNotifications(client, dsn);
}

/** Removes a deleted device from every list; its page reads it again and gets a 404. */
export function dropDevice(client: QueryClient, dsn: string): void {
  applyRow(client, dsn, null);
  rereadDevice(client, dsn);
}

/** Stores the response to a write, unless an event was faster. A device that could not be read back is read again. */
export function applyDeviceDetail(client: QueryClient, response: DeviceDetail): void {
  if (response.stale) {
    rereadDevice(client, response.dsn);
    return;
  }
  const device = newer(client, response);
  client.setQueryData(deviceKey(device.dsn), device);
  applyRow(client, device.dsn, device);
}

/** Reads all displayed device data again. */
export function rereadDevices(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ['devices'] });
}

/** Reads the displayed lists, their counts and the values of an open filter again, without cancelling a read in progress. Lists do not wait for counts. */
export async function rereadDeviceLists(client: QueryClient): Promise<void> {
  void reread(client, COUNTS);
  void reread(client, FACETS);
  await reread(client, LISTS);
}

async function reread(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const read = () => client.invalidateQueries({ queryKey }, { cancelRefetch: false });
  const isUnderWay = client.isFetching({ queryKey, type: 'active' }) > 0;
  await read();
  // The read in progress may have begun before the change.
  if (isUnderWay) await read();
}

function applyRow(client: QueryClient, dsn: string, device: DeviceView | null): void {
  for (const changed of listReads) changed.set(dsn, device);
  client.setQueriesData<DeviceList>({ queryKey: LISTS }, (list) => list && withRow(list, dsn, device));
}

/** Replaces or removes the row of this device; returns the same list if it has no such row. */
function withRow(list: DeviceList, dsn: string, device: DeviceView | null): DeviceList {
  if (!list.devices.some((row) => row.dsn === dsn)) return list;
  if (device) return { ...list, devices: list.devices.map((row) => (row.dsn === dsn ? newRow(row, device) : row)) };
  return { ...list, devices: list.devices.filter((row) => row.dsn !== dsn), total: list.total - 1 };
}

/** Only rows of a list contain the distance of a device. */
function newRow({ distanceKm }: DeviceView, device: DeviceView): DeviceView {
  return distanceKm === undefined ? device : { distanceKm, ...device };
}
