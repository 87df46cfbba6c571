import type { AuditQuery } from '@/api/audit';
import { AUDIT_OPERATIONS, type AuditOperation } from '@/api/schema.gen';
import { dayEnd, dayStart, isDay } from '@/browser/days';
import { oneOf, textFilter } from '@/domain/search-state';

/** Maximum length of an address that the server accepts. */
const LONGEST_EMAIL = 254;

/** The query string of /audit. */
export type AuditSearch = {
  /** Part of a DSN or of a serial number. */
  device?: string | undefined;
  target?: string | undefined;
  actor?: string | undefined;
  operation?: AuditOperation | undefined;
  /** Days in the browser's time zone, 2026-11-20. */
  from?: string | undefined;
  to?: string | undefined;
};

export const AUDIT_FILTERS = [
  'device',
  'target',
  'actor',
  'operation',
  'from',
  'to',
] as const satisfies (keyof AuditSearch)[];

/** Omits invalid values. */
export function readAuditSearch(raw: { [Name in keyof AuditSearch]?: unknown }): AuditSearch {
  const day = (raw: unknown) => (isDay(raw) ? raw : undefined);
  return {
    device: textFilter(raw.device),
    target: textFilter(raw.target),
    actor: textFilter(raw.actor, LONGEST_EMAIL),
    operation: oneOf(AUDIT_OPERATIONS, raw.operation),
    from: day(raw.from),
    to: day(raw.to),
  };
}

/** Changes by jobs are grouped, except for a single device. */
export function toAuditQuery(search: AuditSearch): AuditQuery {
  return { ...toAuditFilters(search), ...(!search.device && !search.target && { foldJobs: true }) };
}

/** Whole days in the browser's time zone, including the last. */
export function toAuditFilters({ from, to, ...same }: AuditSearch): Omit<AuditQuery, 'foldJobs'> {
  return {
    ...same,
    ...(from && { from: dayStart(from).toISOString() }),
    ...(to && { to: dayEnd(to).toISOString() }),
  };
}
