import classes from '@/form/Form.module.css';
import { t } from '@/i18n/en';
import { Skeleton } from '@/ui/kit';

export function UserFormSkeleton() {
  return (
    <div className={classes.form} aria-busy="true" role="status" aria-label={t.list.loading}>
      <Skeleton height={230} radius="md" />
      <Skeleton height={300} radius="md" />
      <Skeleton height={230} radius="md" />
    </div>
  );
}
