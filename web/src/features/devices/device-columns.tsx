import type { ReactNode } from 'react';
import type { DeviceView } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { ago } from '@/lib/time';
import { LevelMeter } from '@/ui/LevelMeter';
import { SecondLine, TwoLines } from '@/ui/list/cells';
import type { Column } from '@/ui/list/DataTable';
import { RowCard } from '@/ui/list/RowCards';
import { StatusMark } from '@/ui/StatusMark';
import type { DeviceSort } from './devices-search';

/** What stands for a device: its name, or a link to its page. */
type DeviceName = (device: DeviceView) => ReactNode;

interface Options {
  name: DeviceName;
  seesCsp: boolean;
  now: Date;
}

/** The columns of A-37, related ones below each other, and the remaining level. */
export function deviceColumns({ name, seesCsp, now }: Options): Column<DeviceView>[] {
  const csp: Column<DeviceView> = { labels: [header('csp')], cell: (device) => <TwoLines first={device.csp} /> };
  return [
    {
      labels: [header('serialnumber'), header('dsn')],
      cell: (device) => (
        <>
          {name(device)}
          <SecondLine text={device.serialNumber ? device.dsn : t.devices.noSerial} />
        </>
      ),
    },
    {
      labels: [header('customer'), header('servicearea')],
      grow: true,
      cell: (device) => <TwoLines first={device.customer} second={device.serviceArea} />,
    },
    ...(seesCsp ? [csp] : []),
    {
      labels: [header('model'), header('network')],
      roomy: true,
      cell: (device) => <TwoLines first={device.systemConfigurationLabel} second={device.network} />,
    },
    {
      labels: [header('city'), header('stateprovince'), header('country')],
      roomy: true,
      cell: (device) => <TwoLines first={device.city} second={joined(device.state, device.country)} />,
    },
    {
      labels: [header('connectionstatus'), header('connectedat')],
      cell: (device) => (
        <>
          <Status device={device} />
          {device.connectedAt && <SecondLine text={ago(new Date(device.connectedAt), now)} />}
        </>
      ),
    },
    {
      labels: [{ label: t.devices.columns.remaining }],
      cell: (device) => <Remaining percent={device.fragranceRemaining} />,
    },
  ];
}

/** What a technician looks for. */
export function deviceCard(device: DeviceView, name: DeviceName) {
  return (
    <RowCard
      link={name(device)}
      text={joined(device.customer, device.serviceArea) || device.dsn}
      state={
        <>
          <Status device={device} />
          <Remaining percent={device.fragranceRemaining} />
        </>
      }
    />
  );
}

function header(sort: DeviceSort) {
  return { label: t.devices.columns[sort], sort };
}

function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(', ');
}

function Status({ device: { connectionStatus } }: { device: DeviceView }) {
  return <StatusMark online={connectionStatus === 'Online'} label={connectionStatus} />;
}

function Remaining({ percent }: { percent: number | null | undefined }) {
  if (percent === null || percent === undefined) return <span title={t.devices.remainingUnknown}>–</span>;
  return <LevelMeter percent={percent} label={t.devices.remaining(percent)} />;
}
