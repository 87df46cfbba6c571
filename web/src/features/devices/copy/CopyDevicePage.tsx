import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { deviceQuery } from '@/api/devices';
import { isStatus } from '@/api/errors';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Skeleton, Stack, Title } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import { DeviceFailure } from '../DeviceFailure';
import { CopyEditor } from './CopyEditor';

const route = getRouteApi('/signed-in/devices/$dsn/copy');

export function CopyDevicePage() {
  const { dsn } = route.useParams();
  const query = useQuery(deviceQuery(dsn));
  const title = t.copy.title(query.data?.serialNumber || dsn);
  usePageTitle(title);

  // A failed reread keeps the device on the page, except for a 404.
  if (query.error && (!query.data || isStatus(query.error, 404))) {
    return <DeviceFailure dsn={dsn} error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md">
      <Title order={1} size={26}>
        {title}
      </Title>
      {query.data ? <CopyEditor key={dsn} device={query.data} /> : <EditorSkeleton />}
    </Stack>
  );
}

function EditorSkeleton() {
  return (
    <Loading>
      <Stack gap="md">
        <Skeleton height={180} radius="md" />
        <Skeleton height={600} radius="md" />
      </Stack>
    </Loading>
  );
}
