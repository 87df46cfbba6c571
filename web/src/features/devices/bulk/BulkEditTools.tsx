import { lazy, type RefObject } from 'react';
import { Skeleton } from '@/ui/kit';
import { Later } from '@/ui/Later';
import type { BulkEdit } from './useBulkEdit';

const BulkEditPanel = lazy(() => import('./BulkEditPanel'));

interface Props {
  bulk: BulkEdit;
  /** The way in, where the focus goes back to. */
  button: RefObject<HTMLButtonElement | null>;
}

/** What stands above the list while devices are chosen; fetched when somebody does. */
export function BulkEditTools({ bulk, button }: Props) {
  const leave = () => {
    bulk.leave();
    button.current?.focus();
  };
  return (
    <Later shape={<Skeleton height={196} radius="md" />}>
      <BulkEditPanel bulk={bulk} onLeave={leave} />
    </Later>
  );
}
