import type { AttentionQuery } from '@/api/attention';
import {
  ATTENTION_KINDS,
  ATTENTION_SEVERITIES,
  ATTENTION_STATES,
  type AttentionKind,
  type AttentionSeverity,
  type AttentionState,
} from '@/api/schema.gen';
import { oneOf, textFilter } from '@/domain/search-state';

/** The longest name of a CSP that the server accepts. */
const LONGEST_CSP = 255;
const ASSIGNEES = ['me', 'nobody'] as const;
const PERSON = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The query string of /attention. */
export type AttentionSearch = {
  search?: string | undefined;
  /** `open` if omitted. */
  state?: AttentionState | undefined;
  kind?: AttentionKind | undefined;
  severity?: AttentionSeverity | undefined;
  /** `me`, `nobody` or the id of a person. */
  assignee?: string | undefined;
  csp?: string | undefined;
  dsn?: string | undefined;
};

export const ATTENTION_FILTERS = [
  'state',
  'kind',
  'severity',
  'assignee',
  'csp',
  'dsn',
] as const satisfies (keyof AttentionSearch)[];

/** Omits invalid values. */
export function readAttentionSearch(raw: { [Name in keyof AttentionSearch]?: unknown }): AttentionSearch {
  return {
    search: textFilter(raw.search),
    state: oneOf(ATTENTION_STATES, raw.state),
    kind: oneOf(ATTENTION_KINDS, raw.kind),
    severity: oneOf(ATTENTION_SEVERITIES, raw.severity),
    assignee: oneOf(ASSIGNEES, raw.assignee) ?? (isPerson(raw.assignee) ? raw.assignee : undefined),
    csp: textFilter(raw.csp, LONGEST_CSP),
    dsn: textFilter(raw.dsn),
  };
}

export function isPerson(raw: unknown): raw is string {
  return typeof raw === 'string' && PERSON.test(raw);
}

export function toAttentionQuery(search: AttentionSearch): AttentionQuery {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** The query string of /attention/settings. */
export function readSettingsSearch(raw: { csp?: unknown }): { csp?: string | undefined } {
  return { csp: textFilter(raw.csp, LONGEST_CSP) };
}
