import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { deviceCountsQuery, devicesQuery } from '@/api/devices';
import type { DeviceList, DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { queryProps, useListView } from '@/form/list/useListView';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import type { EmptyingFilter } from '@/ui/list/EmptiedBy';
import type { FilterField } from '@/ui/list/filter-field';
import { deviceCard, deviceColumns, supplyHeading } from './device-columns';
import { deviceFilterFields, StatusFilter, searchTexts } from './device-filters';
import { type DevicesSearch, type devicesList, toDeviceFilter, toDeviceListQuery } from './devices-search';
import { QuickFilters } from './QuickFilters';

interface Options {
  list: typeof devicesList;
  search: DevicesSearch;
  onSearch: (search: DevicesSearch, replace: boolean) => void;
  /** The name of a device in its row. */
  name: (device: DeviceView) => ReactNode;
  /** A device that is not listed. */
  excludeDsn?: string;
  /** Shows the columns for those who order and bring cartridges. */
  forSupply?: boolean;
}

/** A list of devices with its filters, counts and columns. */
export function useDeviceList({ list, search, onSearch, name, excludeDsn, forSupply = false }: Options) {
  const seesCsp = useCan('csps.view');
  const now = useNow();
  const { view, filters, change, listProps } = useListView({ list, search, onSearch });
  const excluded = excludeDsn === undefined ? {} : { excludeDsn };
  const listQuery = { ...toDeviceListQuery(view), ...excluded };
  const matches = { ...toDeviceFilter(filters), ...excluded };
  const query = useQuery(devicesQuery(listQuery));
  // The rows come first, and only the index can be counted.
  const counts = useQuery({ ...deviceCountsQuery(matches), enabled: query.data?.source === 'index' }).data;
  const fields = deviceFilterFields({ seesCsp, excludeDsn });
  const sorts = list.sorts.filter(
    (sort) => (sort !== 'csp' || seesCsp) && (sort !== 'distance' || search.near !== undefined),
  );
  return {
    query,
    listQuery,
    /** The filters of the devices that match, on all pages. */
    matches,
    listProps: {
      ...listProps,
      ...queryProps(query),
      filterBar: {
        fields,
        filters,
        onChange: change,
        search: searchTexts,
        atHand: (
          <StatusFilter
            value={search.connectionstatus}
            counts={counts}
            onChange={(connectionstatus) => change({ connectionstatus })}
          />
        ),
        quick: (
          // Devices are chosen from a list without one of them, which is left only when this is done.
          <QuickFilters filters={filters} counts={counts} onChange={change} hasAttention={excludeDsn === undefined} />
        ),
      },
      sorts: sorts.map((value) => ({ value, label: t.devices.columns[value] })),
      page: query.data && { ...query.data, rows: query.data.devices },
      emptiedBy: emptyingFilter(query.data, fields),
      rowKey: (device: DeviceView) => device.dsn,
      columns: deviceColumns({ name, seesCsp, now, forSupply }),
      card: (device: DeviceView) => deviceCard(device, { name, now, forSupply }),
      heading: view.order_by === 'runsdry' ? supplyHeading : undefined,
    },
  };
}

function emptyingFilter(list: DeviceList | undefined, fields: readonly FilterField[]): EmptyingFilter | undefined {
  const { filter, devices } = list?.emptiedBy ?? {};
  const field = fields.find(({ name }) => name === filter);
  if (!field || devices === undefined) return undefined;
  return { name: field.name, label: field.label, text: t.devices.withoutFilter(field.label, devices) };
}
