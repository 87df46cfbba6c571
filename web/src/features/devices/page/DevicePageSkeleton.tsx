import { Skeleton, Stack } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import classes from './DevicePage.module.css';

export function DevicePageSkeleton() {
  return (
    <Loading>
      <Stack gap="md">
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
    </Loading>
  );
}
