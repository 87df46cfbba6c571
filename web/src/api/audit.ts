import { infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import { call, callForFile } from './http';
import type { ListAuditData, ReportAuditData } from './schema.gen';

const AUDIT = ['audit'] as const;

export type AuditQuery = Omit<NonNullable<ListAuditData['query']>, 'before'>;

/** Changes, newest first; each page contains the cursor of the next. */
export function auditQuery(query: AuditQuery) {
  return infiniteQueryOptions({
    queryKey: [...AUDIT, query],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/audit', { query: { ...query, ...(pageParam !== null && { before: pageParam }) }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
}

export function reportAudit(query: ReportAuditData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/audit/report', { query, signal });
}

/** Reads the displayed changes again. */
export function rereadAudit(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: AUDIT });
}
