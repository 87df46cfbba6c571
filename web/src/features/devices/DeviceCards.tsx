import { IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import type { DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { oneOf } from '@/lib/search-state';
import { ActionIcon, Group, Select } from '@/ui/kit';
import { followRowLink } from '@/ui/list/followRowLink';
import { StatusMark } from '@/ui/StatusMark';
import classes from './DeviceCards.module.css';
import { DeviceLink } from './DeviceLink';
import { Remaining } from './DevicesTable';
import { DEVICE_SORTS, type DevicesSearch } from './devices-search';

interface Props {
  devices: readonly DeviceView[];
  search: DevicesSearch;
  onChange: (part: Partial<DevicesSearch>) => void;
  busy: boolean;
}

/** The list on a phone. */
export function DeviceCards({ devices, search, onChange, busy }: Props) {
  return (
    <>
      <SortControl search={search} onChange={onChange} />
      <ul className={classes.cards} aria-busy={busy} data-busy={busy}>
        {devices.map((device) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the link in the card
          <li key={device.dsn} className={classes.card} onClick={followRowLink}>
            <div className={classes.text}>
              <DeviceLink device={device} search={search} />
              <div className={classes.place}>
                {[device.customer, device.serviceArea].filter(Boolean).join(', ') || device.dsn}
              </div>
            </div>
            <div className={classes.state}>
              <StatusMark online={device.connectionStatus === 'Online'} label={device.connectionStatus} />
              <Remaining percent={device.fragranceRemaining} />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function SortControl({ search: { order_by, order }, onChange }: Pick<Props, 'search' | 'onChange'>) {
  const seesCsp = useCan('devices.csp');
  const sorts = DEVICE_SORTS.filter((sort) => sort !== 'csp' || seesCsp);
  const Icon = order === 'asc' ? IconSortAscending : IconSortDescending;
  return (
    <Group className={classes.sort} gap="xs" wrap="nowrap">
      <Select
        className={classes.by}
        aria-label={t.list.sortBy}
        data={sorts.map((value) => ({ value, label: t.devices.columns[value] }))}
        value={order_by}
        onChange={(value) => onChange({ order_by: oneOf(DEVICE_SORTS, value) ?? order_by })}
        allowDeselect={false}
      />
      <ActionIcon
        variant="default"
        size={44}
        aria-label={order === 'asc' ? t.list.ascending : t.list.descending}
        onClick={() => onChange({ order: order === 'asc' ? 'desc' : 'asc' })}
      >
        <Icon size={20} stroke={1.7} />
      </ActionIcon>
    </Group>
  );
}
