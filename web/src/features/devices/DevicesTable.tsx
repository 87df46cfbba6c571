import type { DeviceView } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { ago } from '@/lib/time';
import { LevelMeter } from '@/ui/LevelMeter';
import { type Column, DataTable } from '@/ui/list/DataTable';
import { StatusMark } from '@/ui/StatusMark';
import { useNow } from '@/ui/useNow';
import { DeviceLink } from './DeviceLink';
import classes from './DevicesTable.module.css';
import { DEVICE_SORTS, type DeviceSort, type DevicesSearch, nextSort } from './devices-search';

interface Props {
  devices: readonly DeviceView[];
  search: DevicesSearch;
  onChange: (part: Partial<DevicesSearch>) => void;
  busy: boolean;
}

/** The columns of A-37, related ones below each other, and the remaining level. */
export function DevicesTable({ devices, search, onChange, busy }: Props) {
  const seesCsp = useCan('devices.csp');
  const now = useNow();
  const columns: Column<DeviceView>[] = [
    {
      labels: [header('serialnumber'), header('dsn')],
      cell: (device) => (
        <>
          <DeviceLink device={device} search={search} />
          {device.serialNumber ? <Second text={device.dsn} /> : <Second text={t.devices.noSerial} />}
        </>
      ),
    },
    {
      labels: [header('customer'), header('servicearea')],
      grow: true,
      cell: (device) => <Two first={device.customer} second={device.serviceArea} />,
    },
    ...(seesCsp
      ? [{ labels: [header('csp')] as const, cell: (device: DeviceView) => <Two first={device.csp} /> }]
      : []),
    {
      labels: [header('model'), header('network')],
      roomy: true,
      cell: (device) => <Two first={device.systemConfigurationLabel} second={device.network} />,
    },
    {
      labels: [header('city'), header('stateprovince'), header('country')],
      roomy: true,
      cell: (device) => <Two first={device.city} second={[device.state, device.country].filter(Boolean).join(', ')} />,
    },
    {
      labels: [header('connectionstatus'), header('connectedat')],
      cell: (device) => (
        <>
          <StatusMark online={device.connectionStatus === 'Online'} label={device.connectionStatus} />
          {device.connectedAt && <Second text={ago(new Date(device.connectedAt), now)} />}
        </>
      ),
    },
    {
      labels: [{ label: t.devices.columns.remaining }],
      cell: (device) => <Remaining percent={device.fragranceRemaining} />,
    },
  ];
  return (
    <DataTable
      caption={t.devices.title}
      columns={columns}
      rows={devices}
      rowKey={(device) => device.dsn}
      sort={{ by: search.order_by, order: search.order }}
      onSort={(by) => {
        const sort = DEVICE_SORTS.find((name) => name === by);
        if (sort) onChange(nextSort(search, sort));
      }}
      busy={busy}
    />
  );
}

function header(sort: DeviceSort) {
  return { label: t.devices.columns[sort], sort };
}

function Two({ first, second }: { first: string | null | undefined; second?: string | null | undefined }) {
  return (
    <>
      <div>{first || '–'}</div>
      {second && <Second text={second} />}
    </>
  );
}

function Second({ text }: { text: string }) {
  return <div className={classes.second}>{text}</div>;
}

export function Remaining({ percent }: { percent: number | null | undefined }) {
  if (percent === null || percent === undefined) return <span title={t.devices.remainingUnknown}>–</span>;
  return <LevelMeter percent={percent} label={t.devices.remaining(percent)} />;
}
