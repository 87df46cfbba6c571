import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { deviceQuery } from '@/api/devices';
import { isStatus } from '@/api/errors';
import { useDevicePageEvents, useLiveState } from '@/api/live/live';
import type { DeviceDetail, LastRefusal } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { dayText } from '@/browser/days';
import { dateTime, isStale } from '@/browser/time';
import { instant } from '@/domain/instant';
import { zoneOf } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { StaleNotice } from '@/ui/notices/Notice';
import { Facts } from '@/ui/values/Facts';
import { ZoneContext } from '@/ui/values/zone-context';
import { DeviceFailure } from '../DeviceFailure';
import { ForecastBlock } from '../forecast/ForecastBlock';
import { NAME_DETAILS } from '../form/device-values';
import { HistoryBlock } from '../history/HistoryBlock';
import { NotificationsBlock } from '../notifications/NotificationsBlock';
import { ScheduleBlock } from '../schedule/ScheduleBlock';
import { IgnoredScheduleNotice } from '../schedule/SwitchToRun';
import { DeviceHeader } from './DeviceHeader';
import classes from './DevicePage.module.css';
import { DevicePageSkeleton } from './DevicePageSkeleton';
import { FaultsCard } from './FaultsCard';
import { FirstContact } from './FirstContact';
import { ProductBlock } from './ProductBlock';
import { type Section, SectionMenu } from './SectionMenu';
import { UndoNotice } from './UndoNotice';

const route = getRouteApi('/signed-in/devices/$dsn');

interface SectionsProps {
  /** The changes of the device. */
  changes?: ReactNode;
}

interface Props extends SectionsProps {
  /** What is wrong with the device. */
  attention?: ReactNode;
}

export function DevicePage({ attention, changes }: Props) {
  const { dsn } = route.useParams();
  const query = useQuery(deviceQuery(dsn));
  usePageTitle(query.data?.serialNumber || dsn);
  useDevicePageEvents(dsn);
  const retry = () => void query.refetch();

  if (query.error && (!query.data || isStatus(query.error, 404))) {
    return <DeviceFailure dsn={dsn} error={query.error} onRetry={retry} />;
  }
  if (query.data) {
    return (
      <ZoneContext value={zoneOf(query.data.timeZone)}>
        <Stack key={dsn} gap="md">
          <DeviceHeader device={query.data} />
          <Staleness readAt={query.dataUpdatedAt} failed={query.isError} onRefresh={retry} />
          {attention}
          <FirstContact device={query.data} />
          <UndoNotice dsn={dsn} />
          <IgnoredScheduleNotice device={query.data} />
          <Sections device={query.data} changes={changes} />
        </Stack>
      </ZoneContext>
    );
  }
  return <DevicePageSkeleton />;
}

/** A live page is complete, however long ago it was read. */
function Staleness({ readAt, failed, onRefresh }: { readAt: number; failed: boolean; onRefresh: () => void }) {
  const now = useNow();
  const live = useLiveState() === 'live';
  const at = new Date(readAt);
  if (!failed && (live || !isStale(at, now))) return null;
  return <StaleNotice text={t.stale.since(dateTime(at))} onRefresh={onRefresh} />;
}

function Sections({ device, changes }: SectionsProps & { device: DeviceDetail }) {
  const sections: (readonly [Section, ReactNode])[] = [
    ['status', <ProductBlock key="status" device={device} />],
    ['schedule', <ScheduleBlock key="schedule" device={device} />],
    ['details', <Details key="details" device={device} />],
    ['notifications', <NotificationsBlock key="notifications" device={device} />],
    ['forecast', <ForecastBlock key="forecast" device={device} />],
    ['history', <HistoryBlock key="history" dsn={device.dsn} />],
    ...(changes ? ([['changes', changes]] as const) : []),
  ];
  return (
    <div className={classes.page}>
      <SectionMenu sections={sections.map(([section]) => section)} />
      <div className={classes.sections}>
        {sections.map(([section, block]) => (
          <div key={section} id={section} className={classes.section} tabIndex={-1}>
            {block}
          </div>
        ))}
      </div>
    </div>
  );
}

function refusalText({ at, reason }: LastRefusal): string {
  return `${dateTime(instant(at))}: ${reason}`;
}

function Details({ device }: { device: DeviceDetail }) {
  const seesCsp = useCan('csps.view');
  return (
    <div className={classes.blocks}>
      <Card title={t.device.name}>
        <Facts
          facts={[
            ...(seesCsp ? ([[t.device.csp, device.csp]] as const) : []),
            [t.device.customer, device.customer],
            ...NAME_DETAILS.map(({ name, type }) => {
              const value = device[name];
              return [t.device[name], type === 'date' && value ? dayText(value) : value] as const;
            }),
            [t.device.serviceArea, device.serviceArea],
          ]}
        />
      </Card>
      <Card title={t.device.id}>
        <Facts
          facts={[
            [t.device.serialNumber, device.serialNumber],
            [t.device.dsn, device.dsn],
            [t.device.network, device.network],
            [t.device.systemConfiguration, device.systemConfigurationLabel],
            [t.device.fragrance, device.fragrance],
            [t.device.software, device.swVersion],
            [t.device.lanAddress, device.lanIp],
            ...(device.lastRefusal ? ([[t.device.lastRefusal, refusalText(device.lastRefusal)]] as const) : []),
          ]}
        />
      </Card>
      {device.faults.length > 0 && <FaultsCard faults={device.faults} />}
      <Card title={t.device.location}>
        <Facts
          facts={[
            [t.device.country, device.country],
            [t.device.city, device.city],
            [t.device.state, device.state],
            [t.device.timeZone, device.timeZone],
            [t.device.latitude, device.lat],
            [t.device.longitude, device.lng],
          ]}
        />
      </Card>
    </div>
  );
}
