import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceQuery } from '@/api/devices';
import { isStatus } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { zoneOf } from '@/domain/time-zone';
import { FRESH } from '@/form/fresh';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Skeleton, Stack, Title } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import { ZoneContext } from '@/ui/values/zone-context';
import { BackToDevice, useBackToDevice } from '../BackToDevice';
import { DeviceFailure } from '../DeviceFailure';
import { ScheduleEditor } from './ScheduleEditor';

const route = getRouteApi('/signed-in/devices/$dsn/edit/schedule');

export function EditSchedulePage() {
  const { dsn } = route.useParams();
  const { frame } = route.useSearch();
  const query = useQuery({ ...deviceQuery(dsn), ...FRESH });
  const goBack = useBackToDevice(dsn);
  const title = t.scheduleForm.title(query.data?.serialNumber || dsn);
  usePageTitle(title);
  useDeviceEvents([dsn]);

  // A failed reread keeps the device on the page, except for a 404.
  if (query.error && (!query.data || isStatus(query.error, 404))) {
    return <DeviceFailure dsn={dsn} error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {title}
      </Title>
      {query.data && query.isFetchedAfterMount ? (
        <ZoneContext value={zoneOf(query.data.timeZone)}>
          <ScheduleEditor
            key={dsn}
            device={query.data}
            openedFrame={frame}
            cancel={<BackToDevice dsn={dsn}>{t.common.cancel}</BackToDevice>}
            onSaved={goBack}
          />
        </ZoneContext>
      ) : (
        <EditorSkeleton />
      )}
    </Stack>
  );
}

function EditorSkeleton() {
  return (
    <Loading>
      <Stack gap="md">
        <Skeleton height={400} radius="md" />
        <Skeleton height={900} radius="md" />
      </Stack>
    </Loading>
  );
}
