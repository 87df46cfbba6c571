import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceCountsQuery, devicesQuery } from '@/api/devices';
import { isCode, messageOf } from '@/api/errors';
import { useListPreferences } from '@/api/list-preferences';
import { useDeviceEvents } from '@/api/live/live';
import type { DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { Card } from '@/ui/Card';
import { List } from '@/ui/list/List';
import type { Selection } from '@/ui/list/useSelection';
import { useNow } from '@/ui/useNow';
import { useMatchingDevices } from './bulk/useMatchingDevices';
import { targetsList, toTargetsQuery } from './copy-targets-search';
import { deviceCard, deviceColumns } from './device-columns';
import { deviceFilterFields, StatusFilter, searchTexts } from './device-filters';
import { toDeviceFilter } from './devices-search';
import { QuickFilters } from './QuickFilters';

const route = getRouteApi('/signed-in/devices/$dsn/copy');

interface Props {
  chosen: Selection;
  disabled: boolean;
}

/** Step 2: to which devices. */
export function CopyTargets({ chosen, disabled }: Props) {
  const { dsn } = route.useParams();
  const preferences = useListPreferences('copyTargets');
  const search = route.useSearch();
  const view = targetsList.shown(search, preferences.pageSize);
  const filters = targetsList.filters(search);
  const matches = { ...toDeviceFilter(filters), excludeDsn: dsn };
  const navigate = route.useNavigate();
  const seesCsp = useCan('csps.view');
  const query = useQuery(devicesQuery(toTargetsQuery(view, dsn)));
  const counts = useQuery({ ...deviceCountsQuery(matches), enabled: query.data?.source === 'index' }).data;
  const matching = useMatchingDevices(matches, (dsns) => chosen.set(dsns, true));
  const now = useNow();
  useDeviceEvents([dsn, ...(query.data?.devices.map((device) => device.dsn) ?? [])]);

  /** In the same entry of the history: Back leads to the device, not through the filters. */
  const change = (part: object) =>
    void navigate({
      search: targetsList.read({ ...search, page: 1, ...part }),
      state: (state) => state,
      replace: true,
      resetScroll: false,
    });

  return (
    <Card title={t.copy.steps.targets}>
      <List
        texts={{ ...t.devices, noMatch: t.copy.noMatch, noRows: t.copy.noRows }}
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
        defaults={targetsList.defaults}
        view={view}
        onView={(part) => {
          if (part.page_size) preferences.rememberPageSize(part.page_size);
          change(targetsList.chosen(part));
        }}
        density={preferences.density}
        onDensity={preferences.rememberDensity}
        sorts={targetsList.sorts
          .filter((sort) => (sort !== 'csp' || seesCsp) && (sort !== 'distance' || search.near !== undefined))
          .map((value) => ({ value, label: t.devices.columns[value] }))}
        page={query.data && { ...query.data, rows: query.data.devices }}
        rowKey={(device) => device.dsn}
        columns={deviceColumns({ name, seesCsp, now })}
        card={(device) => deviceCard(device, name, now)}
        selection={{
          chosen,
          nameOf,
          isFixed: disabled,
          ...matching,
          clear: () => chosen.replace([]),
          note: chosen.keys.length > 0 ? t.copy.kept : undefined,
        }}
        busy={query.isPlaceholderData}
        error={query.isError ? messageOf(query.error) : undefined}
        isLimited={isCode(query.error, 'list_limited')}
        onReset={() => change(targetsList.read({}))}
        onRetry={() => void query.refetch()}
      />
    </Card>
  );
}

/** No link: who chooses devices does not want to leave. */
function name(device: DeviceView) {
  return <strong>{nameOf(device)}</strong>;
}

function nameOf(device: DeviceView): string {
  return device.serialNumber || device.dsn;
}
