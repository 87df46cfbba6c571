import type { ReactNode } from 'react';
import { levelStatement } from '@/api/level-statement';
import type { DeviceView } from '@/api/schema.gen';
import { dayText } from '@/browser/days';
import { ago, dateTime, dayOrTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { SecondLine, TwoLines } from '@/ui/list/cells';
import type { Column } from '@/ui/list/DataTable';
import { RowCard } from '@/ui/list/RowCards';
import { LevelMeter } from '@/ui/values/LevelMeter';
import { DeviceStatus } from '../DeviceStatus';
import classes from './device-columns.module.css';
import type { DeviceSort } from './devices-search';

/** Renders the name of a device, with or without a link to its page. */
type DeviceName = (device: DeviceView) => ReactNode;

interface Options {
  name: DeviceName;
  seesCsp: boolean;
  now: Date;
  /** Columns for those who order and bring cartridges. */
  forSupply: boolean;
}

export function deviceColumns({ forSupply, ...options }: Options): Column<DeviceView>[] {
  return forSupply ? supplyColumns(options) : standardColumns(options);
}

/** What is put where. */
function supplyColumns({ name, now }: Omit<Options, 'forSupply'>): Column<DeviceView>[] {
  const { customerId, storeNumber, address, sku, cartridge } = t.devices.supplyColumns;
  return [
    {
      labels: [header('serialnumber'), header('dsn')],
      share: 15.6,
      cell: (device) => <Names device={device} name={name} />,
    },
    {
      labels: [header('customer'), { label: customerId }],
      share: 15,
      cell: (device) => <TwoLines first={device.customer} second={device.customerId} />,
    },
    {
      labels: [{ label: storeNumber }, header('servicearea')],
      share: 13,
      leaves: 'first',
      cell: (device) => <TwoLines first={device.storeNumber} second={device.serviceArea} />,
    },
    {
      labels: [{ label: address }, header('city')],
      share: 16,
      leaves: 'second',
      cell: (device) => <TwoLines first={device.street} second={placeOf(device)} />,
    },
    {
      labels: [{ label: t.devices.filters.fragrance }, { label: sku }],
      share: 13,
      cell: (device) => <TwoLines first={device.fragrance} second={device.fragranceSku} />,
    },
    {
      labels: [header('model'), { label: cartridge }],
      share: 14.7,
      cell: (device) => <TwoLines first={device.systemConfigurationLabel} second={cartridgeOf(device)} isWhole />,
    },
    levelColumn(now),
  ];
}

function placeOf({ zip, city }: DeviceView): string {
  return [zip, city].filter(Boolean).join(' ');
}

function cartridgeOf({ cartridgeMl }: DeviceView): string | null {
  return cartridgeMl === null ? null : t.devices.millilitres(cartridgeMl);
}

function levelColumn(now: Date): Column<DeviceView> {
  return {
    labels: [header('fragranceremaining'), header('runsdry')],
    share: 12.7,
    cell: (device) => <Level device={device} now={now} />,
  };
}

function Names({ device, name }: { device: DeviceView; name: DeviceName }) {
  return (
    <>
      {name(device)}
      <SecondLine text={device.serialNumber ? device.dsn : t.devices.noSerial} />
    </>
  );
}

/** The columns of A-37, related ones below each other, the install date and the remaining level. */
function standardColumns({ name, seesCsp, now }: Omit<Options, 'forSupply'>): Column<DeviceView>[] {
  const csp: Column<DeviceView> = {
    labels: [header('csp'), header('installedat')],
    share: 11.2,
    leaves: 'first',
    cell: ({ csp, installedAt }) => <TwoLines first={csp} second={installedAt && dayText(installedAt)} />,
  };
  const installed: Column<DeviceView> = {
    labels: [header('installedat')],
    share: 11.2,
    leaves: 'first',
    cell: ({ installedAt }) => <TwoLines first={installedAt && dayText(installedAt)} />,
  };
  return [
    {
      labels: [header('serialnumber'), header('dsn')],
      share: 15.6,
      cell: (device) => <Names device={device} name={name} />,
    },
    {
      labels: [header('customer'), header('servicearea')],
      share: 13.9,
      cell: (device) => <TwoLines first={device.customer} second={device.serviceArea} />,
    },
    seesCsp ? csp : installed,
    {
      labels: [header('model'), header('network')],
      share: 14.8,
      cell: (device) => <TwoLines first={device.systemConfigurationLabel} second={device.network} isWhole />,
    },
    {
      labels: [header('city'), header('stateprovince'), header('country')],
      share: 17,
      leaves: 'second',
      cell: (device) => <TwoLines first={device.city} second={joined(device.state, device.country)} />,
    },
    {
      labels: [header('connectionstatus'), header('connectedat')],
      share: 14.8,
      cell: (device) => (
        <>
          <DeviceStatus device={device} />
          <Since at={device.connectionChangedAt} now={now} />
        </>
      ),
    },
    levelColumn(now),
  ];
}

/** The heading above the devices of a group, while they are in the order of need. */
export function supplyHeading({ supply }: DeviceView): string {
  return t.level.groups[supply];
}

/** The card of a device on a phone, with the values that technicians need most. */
export function deviceCard(device: DeviceView, { name, now, forSupply }: Omit<Options, 'seesCsp'>) {
  return (
    <RowCard
      link={name(device)}
      text={
        <>
          <span>{joined(device.customer, device.serviceArea) || device.dsn}</span>
          {forSupply && <Supply device={device} />}
          {device.distanceKm !== undefined && <div>{t.devices.away(kilometres(device.distanceKm))}</div>}
        </>
      }
      state={
        <>
          <DeviceStatus device={device} />
          <span className={classes.level}>
            <Level device={device} now={now} />
          </span>
        </>
      }
    />
  );
}

/** What is put where, on a card. */
function Supply({ device }: { device: DeviceView }) {
  const { customerId, storeNumber, fragrance, fragranceSku, street } = device;
  const lines = {
    place: joined(street, placeOf(device)),
    cartridge: joined(fragrance, fragranceSku, cartridgeOf(device)),
    numbers: joined(
      customerId && t.devices.numbered(t.devices.supplyColumns.customerId, customerId),
      storeNumber && t.devices.numbered(t.devices.supplyColumns.storeNumber, storeNumber),
    ),
  };
  return Object.entries(lines).map(([line, text]) => text && <div key={line}>{text}</div>);
}

function header(sort: DeviceSort) {
  return { label: t.devices.columns[sort], sort };
}

function joined(...parts: (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(', ');
}

function Since({ at, now }: { at: string | null; now: Date }) {
  if (!at) return null;
  const since = instant(at);
  return <SecondLine text={t.devices.since(dayOrTime(since, now))} title={dateTime(since)} />;
}

/** The level, and below it what is to say about it. */
function Level({ device, now }: { device: DeviceView; now: Date }) {
  const statement = levelStatement(device, now);
  const title = device.isProvisional ? `${statement}. ${t.level.provisionalHint}` : statement;
  return (
    <>
      <Remaining percent={device.fragranceRemaining} age={ageOf(device, now)} />
      {statement && (
        <div data-whole>
          <SecondLine text={statement} {...(title && { title })} />
        </div>
      )}
    </>
  );
}

/** The age of the level if the device is not connected. */
function ageOf({ connectionStatus, connectionChangedAt, fragranceRemaining }: DeviceView, now: Date) {
  if (connectionStatus === 'Online' || connectionChangedAt === null || fragranceRemaining === null) return undefined;
  return ago(instant(connectionChangedAt), now);
}

function Remaining({ percent, age }: { percent: number | null | undefined; age: string | undefined }) {
  if (percent === null || percent === undefined) return <span title={t.devices.remainingUnknown}>–</span>;
  if (age === undefined) return <LevelMeter percent={percent} label={t.devices.remaining(percent)} />;
  return <LevelMeter old percent={percent} label={t.devices.remainingThen(percent, age)} />;
}

/** Formats a distance, such as '0.4' or '12'. */
function kilometres(distance: number): string {
  return distance < 10 ? distance.toFixed(1) : String(Math.round(distance));
}
