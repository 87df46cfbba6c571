import type { DeviceListQuery } from '@/api/devices';
import type { SearchOf } from '@/domain/list';
import { defineDeviceList, type ShownDevices, toDeviceListQuery } from '../list/devices-search';

/** The query string of the copy targets: as for /devices, with more rows per page. */
export const targetsList = defineDeviceList('copyTargets', 25);

export type TargetsSearch = SearchOf<typeof targetsList>;
/** The unparsed values in the URL. */
export type RawTargetsSearch = Partial<Record<keyof TargetsSearch, unknown>>;

/** The request for all devices except the source. */
export function toTargetsQuery(search: ShownDevices, excludeDsn: string): DeviceListQuery {
  return { ...toDeviceListQuery(search), excludeDsn };
}
