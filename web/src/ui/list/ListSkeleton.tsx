import { Skeleton } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import classes from './ListSkeleton.module.css';

/** Placeholder rows of the final height. */
export function ListSkeleton({ rows }: { rows: number }) {
  return (
    <Loading className={classes.skeleton}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className={classes.row}>
          <Skeleton height={14} width="16%" />
          <Skeleton height={14} width="28%" />
          <Skeleton height={14} width="20%" />
          <Skeleton height={14} width="12%" />
        </div>
      ))}
    </Loading>
  );
}
