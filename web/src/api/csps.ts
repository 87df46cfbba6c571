import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, callForFile } from './http';
import type { CspForm, CspView, ListCspsData, ReportCspsData } from './schema.gen';

const STALE_MS = 60_000;
const REFRESH_MS = 60_000;

export type CspListQuery = NonNullable<ListCspsData['query']>;

/** The CSPs that the signed-in user may choose from. */
export const allCspsQuery = queryOptions({
  queryKey: ['csps', 'all'],
  queryFn: ({ signal }) => call('GET /api/csps/all', { signal }),
  staleTime: STALE_MS,
});

/** One page of CSPs with their counts. */
export function cspsQuery(query: CspListQuery) {
  return queryOptions({
    queryKey: ['csps', 'list', query],
    queryFn: ({ signal }) => call('GET /api/csps', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** A report of all matching CSPs. */
export function reportCsps(query: ReportCspsData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/csps/report', { query, signal });
}

export function cspQuery(id: string) {
  return queryOptions({
    queryKey: ['csps', 'detail', id],
    queryFn: ({ signal }) => call('GET /api/csps/{id}', { path: { id }, signal }),
  });
}

export function createCsp(body: CspForm): Promise<CspView> {
  return call('POST /api/csps', { body, hasDraft: true });
}

export function updateCsp(id: string, body: CspForm): Promise<CspView> {
  return call('PUT /api/csps/{id}', { path: { id }, body });
}

export function deleteCsp(id: string): Promise<void> {
  return call('DELETE /api/csps/{id}', { path: { id } });
}

/** Reads displayed CSP data again, and other CSP data when it is needed. */
export function rereadCsps(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ['csps'] });
}

/** Drops a removed CSP and reads the others again. */
export function dropCsp(client: QueryClient, id: string): Promise<void> {
  client.removeQueries({ queryKey: cspQuery(id).queryKey });
  return rereadCsps(client);
}
