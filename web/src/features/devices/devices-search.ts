import type { DeviceListQuery } from '@/api/devices';
import type { ConnectionStatus } from '@/api/schema.gen';
import { defineList, type FilterOf, type SearchOf } from '@/lib/list';
import { oneOf, textFilter } from '@/lib/search-state';

export const STATUSES = ['Online', 'Offline'] as const satisfies readonly ConnectionStatus[];

/** A CSP's name matches as a whole, however long it is. */
const LONGEST_CSP = 255;

const text = (raw: unknown) => textFilter(raw);

/** A list of devices: the columns of A-37, the filters of A-38 in their order, the start of. */
export const devicesDefinition = {
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
  ] as const,
  filters: {
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
  },
  start: { page_size: 5, order: 'desc', order_by: 'created_at' } as const,
};

/** The query string of /devices. */
export const devicesList = defineList(devicesDefinition);

export type DevicesSearch = SearchOf<typeof devicesList>;
export type DeviceFilter = FilterOf<typeof devicesList>;
export type DeviceSort = DevicesSearch['order_by'];

export function toDeviceListQuery({ page_size, order_by, ...same }: DevicesSearch): DeviceListQuery {
  return { ...same, pageSize: page_size, orderBy: order_by };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set when a device was opened from the list: the way Back leads there. */
    fromDevices?: DevicesSearch;
  }
}
