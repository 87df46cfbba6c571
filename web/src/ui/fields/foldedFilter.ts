import type { OptionsFilter } from '@mantine/core';
import { fold } from '@/domain/fold';

/** Search in selects that ignores accents, case and underscores. */
export const foldedFilter: OptionsFilter = ({ options, search }) => {
  const wanted = fold(search);
  return options.filter((option) => 'label' in option && fold(option.label).includes(wanted));
};
