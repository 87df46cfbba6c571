import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useDeviceEvents } from '@/api/live/live';
import type { DeviceView } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import { List } from '@/ui/list/List';
import type { Selection } from '@/ui/list/useSelection';
import { useMatchingDevices } from '../bulk/useMatchingDevices';
import { useDeviceList } from '../list/useDeviceList';
import { targetsList } from './copy-targets-search';

const route = getRouteApi('/signed-in/devices/$dsn/copy');

interface Props {
  chosen: Selection;
  /** Called with the filter to send instead of the DSNs if exactly the matching devices are selected, and else with undefined. */
  onFilter: (filter: string | undefined) => void;
  disabled: boolean;
}

/** Step 2: selects the target devices. */
export function CopyTargets({ chosen, onFilter, disabled }: Props) {
  const { dsn } = route.useParams();
  const navigate = route.useNavigate();
  const { query, matches, listProps } = useDeviceList({
    list: targetsList,
    search: route.useSearch(),
    // Replaces the history entry, so that Back leads to the device and not through the filters.
    onSearch: (search) => void navigate({ search, state: (state) => state, replace: true, resetScroll: false }),
    name,
    excludeDsn: dsn,
  });
  const { filterOf, ...matching } = useMatchingDevices(matches, (dsns) => chosen.set(dsns, true));
  const filter = filterOf(chosen);
  useEffect(() => {
    onFilter(filter);
  }, [onFilter, filter]);
  useDeviceEvents([dsn, ...(query.data?.devices.map((device) => device.dsn) ?? [])]);

  return (
    <Card title={t.copy.steps.targets}>
      <List
        {...listProps}
        texts={{ ...t.devices, noMatch: t.copy.noMatch, noRows: t.copy.noRows }}
        selection={{
          chosen,
          nameOf,
          isFixed: disabled,
          ...matching,
          clear: () => chosen.replace([]),
          note: chosen.keys.length > 0 ? t.copy.kept : undefined,
        }}
      />
    </Card>
  );
}

/** Without a link, which would leave the form. */
function name(device: DeviceView) {
  return <strong>{nameOf(device)}</strong>;
}

function nameOf(device: DeviceView): string {
  return device.serialNumber || device.dsn;
}
