import type { DeviceFilterQuery, DeviceListQuery } from '@/api/devices';
import { defineList, type FilterOf, type SearchOf, type ShownOf } from '@/lib/list';
import { oneOf, textFilter } from '@/lib/search-state';

export const STATUSES = ['Online', 'Offline', 'NeverConnected'] as const;

/** How far away is still near, in kilometres: as far as a technician drives for one visit. */
export const NEAR_KM = 50;

/** The server takes no longer time: a year. */
export const MOST_OFFLINE_HOURS = 8760;

/** The server looks for no more words. */
const MOST_WORDS = 5;

/** A CSP's name matches as a whole, however long it is. */
const LONGEST_CSP = 255;

const text = (raw: unknown) => textFilter(raw);

/** A list of devices: the columns of A-37, the filters of A-38 in their order and ours, the start of. */
const definition = {
  sorts: [
    'created_at',
    'serialnumber',
    'dsn',
    'csp',
    'customer',
    'servicearea',
    'model',
    'network',
    'connectionstatus',
    'connectedat',
    'city',
    'stateprovince',
    'country',
    'fragranceremaining',
    'distance',
  ] as const,
  filters: {
    q: searched,
    serialnumber: text,
    dsn: text,
    customer: text,
    servicearea: text,
    csp: (raw: unknown) => textFilter(raw, LONGEST_CSP),
    model: text,
    network: text,
    city: text,
    stateprovince: text,
    country: text,
    connectionstatus: (raw: unknown) => oneOf(STATUSES, raw),
    maxremaining: (raw: unknown) => wholeNumber(raw, 0, 100),
    offlinehours: (raw: unknown) => wholeNumber(raw, 1, MOST_OFFLINE_HOURS),
    near: place,
  },
};

const start = { order: 'desc', order_by: 'created_at' } as const;

/** A list of devices that begins with so many of them. */
export function defineDeviceList(name: 'devices' | 'copyTargets', page_size: 5 | 25) {
  const list = defineList({ name, ...definition, start: { page_size, ...start } });
  return { ...list, read: (raw: Parameters<typeof list.read>[0]) => withoutLostOrder(list.read(raw)) } as typeof list;
}

/** Without a place there is no distance to sort by. */
function withoutLostOrder<Search extends { order_by: string; near?: string | undefined }>(search: Search): Search {
  return search.order_by === 'distance' && !search.near ? { ...search, ...start } : search;
}

/** The query string of /devices. */
export const devicesList = defineDeviceList('devices', 5);

export type DevicesSearch = SearchOf<typeof devicesList>;
export type ShownDevices = ShownOf<typeof devicesList>;
export type DeviceFilter = FilterOf<typeof devicesList>;
export type DeviceSort = DevicesSearch['order_by'];

export function toDeviceListQuery({ page, page_size, order, order_by, ...filters }: ShownDevices): DeviceListQuery {
  return { page, pageSize: page_size, order, orderBy: order_by, ...toDeviceFilter(filters) };
}

type DeviceFilters = ReturnType<typeof devicesList.filters>;

/** The filters as the server takes them. */
export function toDeviceFilter({ maxremaining, offlinehours, near, ...texts }: DeviceFilters): DeviceFilterQuery {
  return {
    ...texts,
    ...(maxremaining !== undefined && { maxremaining: Number(maxremaining) }),
    ...(offlinehours !== undefined && { offlinehours: Number(offlinehours) }),
    ...(near !== undefined && { near, radius: NEAR_KM }),
  };
}

function searched(raw: unknown): string | undefined {
  const words = textFilter(raw)?.split(/\s+/) ?? [];
  return words.length > MOST_WORDS ? words.slice(0, MOST_WORDS).join(' ') : textFilter(raw);
}

function wholeNumber(raw: unknown, least: number, most: number): string | undefined {
  const number = /^\d{1,4}$/.test(String(raw)) ? Number(raw) : Number.NaN;
  return number >= least && number <= most ? String(number) : undefined;
}

/** A latitude and a longitude, `59.91,10.75`. */
function place(raw: unknown): string | undefined {
  const [, latitude, longitude] = /^(-?\d{1,2}(?:\.\d{1,6})?),(-?\d{1,3}(?:\.\d{1,6})?)$/.exec(String(raw)) ?? [];
  if (latitude === undefined || longitude === undefined) return undefined;
  return Math.abs(Number(latitude)) <= 90 && Math.abs(Number(longitude)) <= 180
    ? `${latitude},${longitude}`
    : undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set when a device was opened from the list: the way Back leads there. */
    fromDevices?: DevicesSearch;
  }
}
