import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { WhatIfForm } from './schema.gen';

/** Levels change little within a few minutes. */
const FRESH_MS = 5 * 60_000;

/** The forecast of a device; read again when the date of the device changes. */
export function deviceForecastQuery(dsn: string, runsDryAt: string | null) {
  return queryOptions({
    queryKey: ['devices', 'forecast', dsn, runsDryAt],
    queryFn: ({ signal }) => call('GET /api/devices/dsns/{dsn}/forecast', { path: { dsn }, signal }),
    placeholderData: (previous, query) => (query?.queryKey[2] === dsn ? previous : undefined),
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

/** The forecast for values that are not saved yet. Not cached, because the device changes. */
export function whatIfQuery(dsn: string, form: WhatIfForm) {
  return queryOptions({
    queryKey: ['devices', 'what-if', dsn, form],
    queryFn: ({ signal }) => call('POST /api/devices/dsns/{dsn}/forecast', { path: { dsn }, body: form, signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
