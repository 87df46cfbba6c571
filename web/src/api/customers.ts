import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './http';

const STALE_MS = 10_000;
/** Maximum number of characters that the server accepts. */
const MAX_TEXT = 64;

/** At most 20 customers whose names contain the text; those that begin with it come first. */
export function customersQuery(text: string) {
  return queryOptions({
    queryKey: ['customers', text],
    queryFn: ({ signal }) =>
      call('GET /api/devices/customers', { query: { text: Array.from(text).slice(0, MAX_TEXT).join('') }, signal }),
    placeholderData: keepPreviousData,
    staleTime: STALE_MS,
    retry: false,
  });
}
