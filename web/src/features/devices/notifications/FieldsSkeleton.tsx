import { t } from '@/i18n/en';
import { Skeleton, Stack } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';

export function FieldsSkeleton() {
  return (
    <Loading label={t.notifications.formLoading}>
      <Stack gap="lg">
        <Skeleton height={60} />
        <Skeleton height={60} />
        <Skeleton height={150} />
      </Stack>
    </Loading>
  );
}
