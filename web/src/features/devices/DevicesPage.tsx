import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { deviceCountsQuery, devicesQuery, reportDevices } from '@/api/devices';
import { isCode, messageOf } from '@/api/errors';
import { useListPreferences } from '@/api/list-preferences';
import { useDeviceEvents } from '@/api/live/live';
import type { DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { wholeList } from '@/lib/list';
import { ListPage } from '@/ui/list/ListPage';
import { useNow } from '@/ui/useNow';
import { usePageTitle } from '@/ui/usePageTitle';
import { AddDeviceLink } from './AddDeviceLink';
import { BulkEditButton } from './bulk/BulkEditButton';
import { BulkEditTools } from './bulk/BulkEditTools';
import { useBulkEdit } from './bulk/useBulkEdit';
import { DeviceLink } from './DeviceLink';
import { deviceCard, deviceColumns } from './device-columns';
import { deviceFilterFields, StatusFilter, searchTexts } from './device-filters';
import { devicesList, toDeviceFilter, toDeviceListQuery } from './devices-search';
import { QuickFilters } from './QuickFilters';

const route = getRouteApi('/signed-in/devices');

export function DevicesPage() {
  usePageTitle(t.devices.title);
  const preferences = useListPreferences('devices');
  const search = route.useSearch();
  const view = devicesList.shown(search, preferences.pageSize);
  const filters = devicesList.filters(search);
  const navigate = route.useNavigate();
  const seesCsp = useCan('csps.view');
  const canAdd = useCan('devices.add');
  const bulk = useBulkEdit(toDeviceFilter(filters));
  const bulkButton = useRef<HTMLButtonElement>(null);
  const now = useNow();
  const canReport = useCan('devices.view');
  const query = useQuery(devicesQuery(toDeviceListQuery(view)));
  // The rows come first, and only the index can be counted.
  const counts = useQuery({
    ...deviceCountsQuery(toDeviceFilter(filters)),
    enabled: query.data?.source === 'index',
  }).data;
  // Without a list the stream still tells when the server is back.
  useDeviceEvents(query.data?.devices.map((device) => device.dsn) ?? (query.isError ? [] : undefined));

  const sorts = devicesList.sorts.filter(
    (sort) => (sort !== 'csp' || seesCsp) && (sort !== 'distance' || search.near !== undefined),
  );
  /** Anything but another page begins again on the first one. */
  const change = (part: object, replace = false) =>
    void navigate({ search: devicesList.read({ ...search, page: 1, ...part }), replace });

  const name = (device: DeviceView) => <DeviceLink device={device} search={search} />;

  return (
    <ListPage
      texts={t.devices}
      report={
        canReport
          ? {
              list: 'devices',
              hasCustomers: true,
              generate: ({ type, byCustomer }, signal) =>
                reportDevices(
                  { ...wholeList(toDeviceListQuery(view)), type, ...(byCustomer && { groupBy: 'customer' }) },
                  signal,
                ),
            }
          : undefined
      }
      actions={
        <>
          <BulkEditButton ref={bulkButton} bulk={bulk} />
          {canAdd && <AddDeviceLink search={search} />}
        </>
      }
      tools={bulk.isOn && <BulkEditTools bulk={bulk} button={bulkButton} />}
      selection={bulk.selection}
      filterBar={{
        fields: deviceFilterFields({ seesCsp, counts }),
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
        quick: <QuickFilters filters={filters} counts={counts} onChange={change} />,
      }}
      defaults={devicesList.defaults}
      view={view}
      onView={(part) => {
        if (part.page_size) preferences.rememberPageSize(part.page_size);
        change(devicesList.chosen(part));
      }}
      density={preferences.density}
      onDensity={preferences.rememberDensity}
      sorts={sorts.map((value) => ({ value, label: t.devices.columns[value] }))}
      page={query.data && { ...query.data, rows: query.data.devices }}
      rowKey={(device) => device.dsn}
      columns={deviceColumns({ name, seesCsp, now })}
      card={(device) => deviceCard(device, name, now)}
      busy={query.isPlaceholderData}
      error={query.isError ? messageOf(query.error) : undefined}
      isLimited={isCode(query.error, 'list_limited')}
      onReset={() => change(devicesList.read({}))}
      onRetry={() => void query.refetch()}
    />
  );
}
