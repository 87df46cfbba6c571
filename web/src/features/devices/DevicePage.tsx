import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceQuery } from '@/api/devices';
import { isStatus } from '@/api/errors';
import { useDeviceEvents, useLiveState } from '@/api/live/live';
import type { DeviceDetail } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { dateTime, isStale } from '@/lib/time';
import { Card } from '@/ui/Card';
import { Facts } from '@/ui/Facts';
import { Stack } from '@/ui/kit';
import { StaleNotice } from '@/ui/Notice';
import { useNow } from '@/ui/useNow';
import { usePageTitle } from '@/ui/usePageTitle';
import { DeviceFailure } from './DeviceFailure';
import { DeviceHeader } from './DeviceHeader';
import classes from './DevicePage.module.css';
import { DevicePageSkeleton } from './DevicePageSkeleton';
import { HistoryBlock } from './history/HistoryBlock';
import { NotificationsBlock } from './notifications/NotificationsBlock';
import { ProductBlock } from './ProductBlock';
import { ScheduleBlock } from './ScheduleBlock';

const route = getRouteApi('/signed-in/devices/$dsn');

export function DevicePage() {
  const { dsn } = route.useParams();
  const query = useQuery(deviceQuery(dsn));
  usePageTitle(query.data?.serialNumber || dsn);
  useDeviceEvents([dsn]);
  const retry = () => void query.refetch();

  if (query.error && (!query.data || isStatus(query.error, 404))) {
    return <DeviceFailure dsn={dsn} error={query.error} onRetry={retry} />;
  }
  if (query.data) {
    return (
      <Stack gap="md">
        <DeviceHeader device={query.data} />
        <Staleness readAt={query.dataUpdatedAt} failed={query.isError} onRefresh={retry} />
        <Blocks device={query.data} />
      </Stack>
    );
  }
  return <DevicePageSkeleton />;
}

/** While the page is live nothing is missing from it, however long ago it was read. */
function Staleness({ readAt, failed, onRefresh }: { readAt: number; failed: boolean; onRefresh: () => void }) {
  const now = useNow();
  const live = useLiveState() === 'live';
  const at = new Date(readAt);
  if (!failed && (live || !isStale(at, now))) return null;
  return <StaleNotice text={t.stale.since(dateTime(at))} onRefresh={onRefresh} />;
}

function Blocks({ device }: { device: DeviceDetail }) {
  const seesCsp = useCan('csps.view');
  return (
    <>
      <ProductBlock device={device} />
      <ScheduleBlock device={device} />
      <div className={classes.blocks}>
        <Card title={t.device.name}>
          <Facts
            facts={[
              ...(seesCsp ? ([[t.device.csp, device.csp]] as const) : []),
              [t.device.customer, device.customer],
              [t.device.customerId, device.customerId],
              [t.device.storeNumber, device.storeNumber],
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
            ]}
          />
        </Card>
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
      <NotificationsBlock device={device} />
      <HistoryBlock dsn={device.dsn} />
    </>
  );
}
