import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { devicesQuery } from '@/api/devices';
import { isCode, messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import type { DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { Card } from '@/ui/Card';
import { List } from '@/ui/list/List';
import type { Selection } from '@/ui/list/useSelection';
import { useNow } from '@/ui/useNow';
import { targetsList, toTargetsQuery } from './copy-targets-search';
import { deviceCard, deviceColumns } from './device-columns';
import { deviceFilterFields, StatusFilter } from './device-filters';

const route = getRouteApi('/signed-in/devices/$dsn/copy');

interface Props {
  chosen: Selection;
  disabled: boolean;
}

/** Step 2: to which devices. */
export function CopyTargets({ chosen, disabled }: Props) {
  const { dsn } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const seesCsp = useCan('csps.view');
  const query = useQuery(devicesQuery(toTargetsQuery(search, dsn)));
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
          fields: deviceFilterFields(seesCsp),
          filters: targetsList.filters(search),
          onChange: change,
          search: { name: 'dsn', label: t.devices.dsnFilter },
          atHand: (
            <StatusFilter
              value={search.connectionstatus}
              onChange={(connectionstatus) => change({ connectionstatus })}
            />
          ),
        }}
        defaults={targetsList.defaults}
        view={search}
        onView={change}
        sorts={targetsList.sorts
          .filter((sort) => sort !== 'csp' || seesCsp)
          .map((value) => ({ value, label: t.devices.columns[value] }))}
        page={query.data && { ...query.data, rows: query.data.devices }}
        rowKey={(device) => device.dsn}
        columns={deviceColumns({ name, seesCsp, now: useNow() })}
        card={(device) => deviceCard(device, name)}
        selection={{ chosen, nameOf: nameOf, isFixed: disabled }}
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
