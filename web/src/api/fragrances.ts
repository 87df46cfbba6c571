import { queryOptions } from '@tanstack/react-query';
import { call } from './http';

const STALE_MS = 60_000;

/** The fragrance catalogue, by name. */
export const fragrancesQuery = queryOptions({
  queryKey: ['fragrances'],
  queryFn: ({ signal }) => call('GET /api/fragrances', { signal }),
  staleTime: STALE_MS,
});
