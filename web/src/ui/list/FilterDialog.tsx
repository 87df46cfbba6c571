import { type ComponentProps, lazy } from 'react';
import { Dialog } from '@/ui/Dialog';
import { Skeleton } from '@/ui/kit';
import { LazyPart } from '@/ui/LazyPart';

const FilterForm = lazy(() => import('./FilterForm'));

interface Props extends ComponentProps<typeof FilterForm> {
  title: string;
  opened: boolean;
}

/** A dialog with all filters of a list. */
export function FilterDialog({ title, opened, ...rest }: Props) {
  return (
    <Dialog title={title} opened={opened} onClose={rest.onClose}>
      <LazyPart shape={<Skeleton height={420} />}>
        <FilterForm {...rest} />
      </LazyPart>
    </Dialog>
  );
}
