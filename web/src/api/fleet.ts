import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call, callForFile } from './http';
import type { GetFleetHistoryData, ReportFleetData, ReportStoresData } from './schema.gen';

/** Sums change once an hour. */
const FRESH_MS = 5 * 60_000;

export type FleetQuery = NonNullable<GetFleetHistoryData['query']>;

export function fleetQuery(query: FleetQuery) {
  return queryOptions({
    queryKey: ['fleet', query],
    queryFn: ({ signal }) => call('GET /api/fleet/history', { query, signal }),
    placeholderData: keepPreviousData,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
}

/** A report of the use of each store in a month. */
export function reportStores(query: ReportStoresData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/fleet/stores', { query, signal });
}

/** A report of all groups of devices. */
export function reportFleet(query: ReportFleetData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/fleet/report', { query, signal });
}
