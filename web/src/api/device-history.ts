import { queryOptions } from '@tanstack/react-query';
import { call } from './http';

/** Charts change little within a few minutes. */
const FRESH_MS = 5 * 60_000;

export function deviceHistoryQuery(dsn: string, days: number) {
  return queryOptions({
    queryKey: ['devices', 'history', dsn, days],
    queryFn: ({ signal }) => call('GET /api/devices/dsns/{dsn}/history', { path: { dsn }, query: { days }, signal }),
    // Keep the chart while another range of the same device loads.
    placeholderData: (previous, query) => (query?.queryKey[2] === dsn ? previous : undefined),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}
