import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import { t } from '@/i18n/en';
import { NamesFilterInput } from '@/ui/list/FilterInputs';
import type { FilterInputProps } from '@/ui/list/filter-field';

/** Filters a list by CSP. */
export function CspFilterInput(props: FilterInputProps) {
  const csps = useQuery(allCspsQuery);
  const names = csps.data?.map(({ name }) => name);
  return <NamesFilterInput {...props} names={names} error={csps.isError ? t.csps.failed : undefined} />;
}
