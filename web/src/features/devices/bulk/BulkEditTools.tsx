import type { RefObject } from 'react';
import { Skeleton } from '@/ui/kit';
import { lazyPart } from '@/ui/notices/lazy-part';
import type { BulkEdit } from './useBulkEdit';

const BulkEditPanel = lazyPart(
  async () => (await import('./BulkEditPanel')).default,
  <Skeleton height={196} radius="md" />,
);

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
  return <BulkEditPanel bulk={bulk} onLeave={leave} />;
}
