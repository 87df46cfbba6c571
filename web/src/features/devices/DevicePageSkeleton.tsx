import { t } from '@/i18n/en';
import { Skeleton, Stack } from '@/ui/kit';
import classes from './DevicePage.module.css';

export function DevicePageSkeleton() {
  return (
    <Stack gap="md" data-wide aria-busy="true" role="status" aria-label={t.list.loading}>
      <Skeleton height={56} width={240} />
      <div className={classes.page}>
        <div className={classes.sections}>
          <Skeleton height={370} radius="md" />
          <Skeleton height={480} radius="md" />
          <div className={classes.blocks}>
            <Skeleton height={220} radius="md" />
            <Skeleton height={220} radius="md" />
            <Skeleton height={220} radius="md" />
          </div>
        </div>
      </div>
    </Stack>
  );
}
