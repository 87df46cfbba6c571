import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { FragranceView, ListFragrancesData } from './schema.gen';

const STALE_MS = 60_000;

/** The fragrance catalogue, by name. */
export const fragrancesQuery = queryOptions({
  queryKey: ['fragrances'],
  queryFn: ({ signal }) => call<FragranceView[], ListFragrancesData>('GET', { url: '/api/fragrances' }, { signal }),
  staleTime: STALE_MS,
});
