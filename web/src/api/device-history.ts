import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { DeviceHistory, GetDeviceHistoryData } from './schema.gen';

/** A chart of two months looks the same a few minutes later. */
const FRESH_MS = 5 * 60_000;

export function deviceHistoryQuery(dsn: string) {
  return queryOptions({
    queryKey: ['devices', 'history', dsn],
    queryFn: ({ signal }) =>
      call<DeviceHistory, GetDeviceHistoryData>(
        'GET',
        { url: '/api/devices/dsns/{dsn}/history', path: { dsn } },
        { signal },
      ),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}
