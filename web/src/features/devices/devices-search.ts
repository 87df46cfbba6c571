import type { SearchSchemaInput } from '@tanstack/react-router';
import type { DeviceListQuery } from '@/api/devices';
import type { ConnectionStatus } from '@/api/schema.gen';
import { ORDERS, type Order, oneOf, PAGE_SIZES, type PageSize, pageNumber, textFilter } from '@/lib/search-state';

export const DEVICE_SORTS = [
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
] as const satisfies readonly DeviceListQuery['orderBy'][];

export type DeviceSort = (typeof DEVICE_SORTS)[number];

/** The filters of A-38, in the order of the columns. */
export const DEVICE_FILTERS = [
  'serialnumber',
  'dsn',
  'customer',
  'servicearea',
  'csp',
  'model',
  'network',
  'city',
  'stateprovince',
  'country',
  'connectionstatus',
] as const satisfies readonly (keyof DeviceListQuery)[];

export type DeviceFilter = (typeof DEVICE_FILTERS)[number];
export type DeviceFilters = Pick<DevicesSearch, DeviceFilter>;

export const STATUSES = ['Online', 'Offline'] as const satisfies readonly ConnectionStatus[];

/** The query string of /devices. */
export interface DevicesSearch extends Partial<Record<Exclude<DeviceFilter, 'connectionstatus'>, string | undefined>> {
  page: number;
  page_size: PageSize;
  order: Order;
  order_by: DeviceSort;
  connectionstatus?: ConnectionStatus | undefined;
}

/** Not written to the URL. */
export const DEVICES_DEFAULTS = { page: 1, page_size: 5, order: 'desc', order_by: 'created_at' } as const;

type Raw = Partial<Record<keyof DevicesSearch, unknown>>;

/** Reads whatever stands in the URL; what makes no sense falls back to its default. */
export function devicesSearch(raw: Raw & SearchSchemaInput): DevicesSearch {
  return {
    page: pageNumber(raw.page) ?? DEVICES_DEFAULTS.page,
    page_size: oneOf(PAGE_SIZES, raw.page_size) ?? DEVICES_DEFAULTS.page_size,
    order: oneOf(ORDERS, raw.order) ?? DEVICES_DEFAULTS.order,
    order_by: oneOf(DEVICE_SORTS, raw.order_by) ?? DEVICES_DEFAULTS.order_by,
    ...deviceFilters(raw),
  };
}

/** A CSP's name matches as a whole, however long it is. */
const LONGEST_CSP = 255;

/** All filters, those that are not set as undefined. */
export function deviceFilters(raw: Partial<Record<DeviceFilter, unknown>>): DeviceFilters {
  const texts: DeviceFilters = Object.fromEntries(DEVICE_FILTERS.map((name) => [name, textFilter(raw[name])]));
  return { ...texts, csp: textFilter(raw.csp, LONGEST_CSP), connectionstatus: oneOf(STATUSES, raw.connectionstatus) };
}

export function toDeviceListQuery({ page_size, order_by, ...same }: DevicesSearch): DeviceListQuery {
  return { ...same, pageSize: page_size, orderBy: order_by };
}

/** A header goes from ascending over descending back to the default order. */
export function nextSort(search: DevicesSearch, by: DeviceSort): Pick<DevicesSearch, 'order' | 'order_by'> {
  if (search.order_by !== by) return { order_by: by, order: 'asc' };
  if (search.order === 'asc') return { order_by: by, order: 'desc' };
  return { order_by: DEVICES_DEFAULTS.order_by, order: DEVICES_DEFAULTS.order };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set when a device was opened from the list: the way Back leads there. */
    fromDevices?: DevicesSearch;
  }
}
