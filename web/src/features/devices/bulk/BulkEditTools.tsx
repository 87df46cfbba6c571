import { CatchBoundary } from '@tanstack/react-router';
import { lazy, type RefObject, Suspense } from 'react';
import { t } from '@/i18n/en';
import { Skeleton } from '@/ui/kit';
import { ErrorNotice } from '@/ui/Notice';
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
    <CatchBoundary getResetKey={() => 'bulk'} errorComponent={() => <ErrorNotice title={t.errors.unexpected} />}>
      <Suspense fallback={<Skeleton height={196} radius="md" />}>
        <BulkEditPanel bulk={bulk} onLeave={leave} />
      </Suspense>
    </CatchBoundary>
  );
}
