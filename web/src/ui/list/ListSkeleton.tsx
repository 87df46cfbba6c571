import { t } from '@/i18n/en';
import { Skeleton } from '@/ui/kit';
import classes from './ListSkeleton.module.css';

/** Placeholder rows of the final height. */
export function ListSkeleton({ rows }: { rows: number }) {
  return (
    <div className={classes.skeleton} aria-busy="true" role="status" aria-label={t.list.loading}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={classes.row}>
          <Skeleton height={14} width="16%" />
          <Skeleton height={14} width="28%" />
          <Skeleton height={14} width="20%" />
          <Skeleton height={14} width="12%" />
        </div>
      ))}
    </div>
  );
}
