import { queryOptions } from '@tanstack/react-query';
import { call } from './http';

/** The names of all time zones that the server knows; browsers know fewer. */
export const timeZonesQuery = queryOptions({
  queryKey: ['time-zones'],
  queryFn: ({ signal }) => call('GET /api/time-zones', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});
