import { queryOptions } from '@tanstack/react-query';
import { call } from './http';

/** A chart looks the same a few minutes later. */
const FRESH_MS = 5 * 60_000;

export function deviceHistoryQuery(dsn: string, days: number) {
  return queryOptions({
    queryKey: ['devices', 'history', dsn, days],
    queryFn: ({ signal }) => call('GET /api/devices/dsns/{dsn}/history', { path: { dsn }, query: { days }, signal }),
    // Another range of the same device.
    placeholderData: (previous, query) => (query?.queryKey[2] === dsn ? previous : undefined),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}
