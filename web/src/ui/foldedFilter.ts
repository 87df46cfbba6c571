import type { OptionsFilter } from '@mantine/core';
import { fold } from '@/lib/fold';

/** How a select finds what one types: whatever the accents, the case and the underscores. */
export const foldedFilter: OptionsFilter = ({ options, search }) => {
  const wanted = fold(search);
  return options.filter((option) => 'label' in option && fold(option.label).includes(wanted));
};
