import { type QueryObserverResult, queryOptions } from '@tanstack/react-query';
import { type Choice, plainChoices } from '@/domain/choices';
import { loadCountries } from '@/domain/countries';

export const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: loadCountries,
  staleTime: Number.POSITIVE_INFINITY,
});

/** The choices of a field. */
export interface LoadedChoices<T> {
  all: readonly T[];
  /** Set if the choices could not be read. */
  retry?: { isUnderWay: boolean; now: () => void };
}

export function loadedChoices<Row, T>(query: QueryObserverResult<Row[]>, read: (rows: Row[]) => T[]): LoadedChoices<T> {
  const { data, isFetching, refetch } = query;
  if (data) return { all: read(data) };
  return { all: [], retry: { isUnderWay: isFetching, now: () => void refetch() } };
}

/** The choices of records that are stored by name. */
export function named(rows: { name: string }[]): Choice[] {
  return plainChoices(rows.map(({ name }) => name));
}
