import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { CspName, ListAllCspsData } from './schema.gen';

const STALE_MS = 60_000;

/** The CSPs that the signed-in user may choose from. */
export const allCspsQuery = queryOptions({
  queryKey: ['csps', 'all'],
  queryFn: ({ signal }) => call<CspName[], ListAllCspsData>('GET', { url: '/api/csps/all' }, { signal }),
  staleTime: STALE_MS,
});
