import { useCan } from '@/api/session';
import { DEVICE_FILTERS, type DeviceFilter } from './devices-search';

/** The filters that the signed-in user has: the server ignores csp from those who see no CSP. */
export function useDeviceFilters(): readonly DeviceFilter[] {
  const seesCsp = useCan('devices.csp');
  return DEVICE_FILTERS.filter((name) => name !== 'csp' || seesCsp);
}
