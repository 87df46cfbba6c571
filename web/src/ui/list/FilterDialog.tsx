import type { ComponentProps } from 'react';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Skeleton } from '@/ui/kit';
import { lazyPart } from '@/ui/notices/lazy-part';

const FilterForm = lazyPart(async () => (await import('./FilterForm')).default, <Skeleton height={420} />);

interface Props extends ComponentProps<typeof FilterForm> {
  title: string;
  opened: boolean;
}

/** A dialog with all filters of a list. */
export function FilterDialog({ title, opened, ...rest }: Props) {
  return (
    <Dialog title={title} opened={opened} onClose={rest.onClose}>
      <FilterForm {...rest} />
    </Dialog>
  );
}
