import { queryOptions } from '@tanstack/react-query';
import { call } from './http';

/** All time zone names of the server; browsers support fewer. */
export const timeZonesQuery = queryOptions({
  queryKey: ['time-zones'],
  queryFn: ({ signal }) => call('GET /api/time-zones', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
