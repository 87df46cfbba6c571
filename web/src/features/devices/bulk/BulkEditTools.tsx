import { lazy, type RefObject } from 'react';
import { Skeleton } from '@/ui/kit';
import { LazyPart } from '@/ui/LazyPart';
import type { BulkEdit } from './useBulkEdit';

const BulkEditPanel = lazy(() => import('./BulkEditPanel'));

interface Props {
  bulk: BulkEdit;
  /** The button that started Bulk Edit and gets the focus back. */
  button: RefObject<HTMLButtonElement | null>;
}

/** The controls above the list during Bulk Edit, loaded when it starts. */
export function BulkEditTools({ bulk, button }: Props) {
  const leave = () => {
    bulk.leave();
    button.current?.focus();
  };
  return (
    <LazyPart shape={<Skeleton height={196} radius="md" />}>
      <BulkEditPanel bulk={bulk} onLeave={leave} />
    </LazyPart>
  );
}
