import classes from '@/form/Form.module.css';
import { Skeleton } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';

export function UserFormSkeleton() {
  return (
    <Loading className={classes.form}>
      <Skeleton height={230} radius="md" />
      <Skeleton height={300} radius="md" />
      <Skeleton height={230} radius="md" />
    </Loading>
  );
}
