import type { DeviceListQuery } from '@/api/devices';
import type { SearchOf } from '@/lib/list';
import { defineDeviceList, type ShownDevices, toDeviceListQuery } from './devices-search';

/** The query string of the devices to copy to: that of /devices, with more of them on a page. */
export const targetsList = defineDeviceList('copyTargets', 25);

export type TargetsSearch = SearchOf<typeof targetsList>;
/** As it stands in the URL. */
export type RawTargetsSearch = Partial<Record<keyof TargetsSearch, unknown>>;

/** All but the source. */
export function toTargetsQuery(search: ShownDevices, excludeDsn: string): DeviceListQuery {
  return { ...toDeviceListQuery(search), excludeDsn };
}
