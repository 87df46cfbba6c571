import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { AttentionSettingsView, AttentionThresholdsForm, AttentionUpdate, ListAttentionData } from './schema.gen';

/** Events report changes sooner, but not the end of a snooze. */
const POLL_MS = 60_000;

const ATTENTION = ['attention'] as const;

export type AttentionQuery = Omit<NonNullable<ListAttentionData['query']>, 'after'>;

/** Items, the most urgent first; each page contains the cursor of the next. */
export function attentionQuery(query: AttentionQuery) {
  return infiniteQueryOptions({
    queryKey: [...ATTENTION, 'list', query],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/attention', { query: { ...query, ...(pageParam !== null && { after: pageParam }) }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    refetchInterval: POLL_MS,
  });
}

/** The open items of a device, and after them the snoozed ones. */
export function deviceAttentionQuery(dsn: string) {
  return queryOptions({
    queryKey: [...ATTENTION, 'list', 'of device', dsn],
    queryFn: async ({ signal }) => {
      const states = ['open', 'snoozed'] as const;
      const pages = await Promise.all(
        states.map((state) => call('GET /api/attention', { query: { dsn, state }, signal })),
      );
      return pages.flatMap(({ items }) => items);
    },
    refetchInterval: POLL_MS,
  });
}

/** The numbers of new items, and of the user's own. */
export const attentionCountQuery = queryOptions({
  queryKey: [...ATTENTION, 'count'],
  queryFn: ({ signal }) => call('GET /api/attention/count', { signal }),
  refetchInterval: POLL_MS,
});

/** The open items of a person. */
export function assignedCountQuery(person: string) {
  return queryOptions({
    queryKey: [...ATTENTION, 'assigned', person],
    queryFn: ({ signal }) => call('GET /api/attention/count', { query: { assignee: person }, signal }),
    select: ({ assigned, snoozed }) => assigned + snoozed,
  });
}

/** The people who have open items. */
export const peopleWithItemsQuery = queryOptions({
  queryKey: [...ATTENTION, 'people'],
  queryFn: ({ signal }) => call('GET /api/attention/assignees', { query: { assigned: true }, signal }),
});

/** The comments on an item, oldest first. */
export function attentionCommentsQuery(id: string) {
  return queryOptions({
    queryKey: [...ATTENTION, 'comments', id],
    queryFn: ({ signal }) => call('GET /api/attention/{id}/comments', { path: { id }, signal }),
  });
}

/** The people to whom items of a CSP can be assigned; undefined for the manufacturer's people. */
export function attentionAssigneesQuery(csp: string | undefined) {
  return queryOptions({
    queryKey: [...ATTENTION, 'assignees', csp],
    queryFn: ({ signal }) => call('GET /api/attention/assignees', { query: { ...(csp && { csp }) }, signal }),
  });
}

/** The thresholds of a CSP; undefined for the devices without a CSP. */
export function attentionSettingsQuery(csp: string | undefined) {
  return queryOptions({
    queryKey: [...ATTENTION, 'settings', csp],
    queryFn: ({ signal }) => call('GET /api/attention/settings', { query: { ...(csp && { csp }) }, signal }),
  });
}

/** Updates items, all or none. */
export async function updateAttention(client: QueryClient, body: AttentionUpdate): Promise<void> {
  await call('POST /api/attention/update', { body });
  await rereadAttention(client);
}

export async function updateAttentionSettings(
  client: QueryClient,
  csp: string | undefined,
  body: AttentionThresholdsForm,
): Promise<AttentionSettingsView> {
  const saved = await call('PUT /api/attention/settings', { query: { ...(csp && { csp }) }, body });
  client.setQueryData(attentionSettingsQuery(csp).queryKey, saved);
  return saved;
}

/** The queries that events are about. */
const CHANGING: unknown[] = ['list', 'count', 'comments'];

/**
 * Reads the displayed items, comments and counts again without cancelling a read in progress: on a slow line, events would
 * otherwise cancel every read before it ends.
 */
export async function rereadAttentionItems(client: QueryClient): Promise<void> {
  const filters = {
    queryKey: ATTENTION,
    predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => CHANGING.includes(queryKey[1]),
  };
  const isUnderWay = client.isFetching({ ...filters, type: 'active' }) > 0;
  await client.invalidateQueries(filters, { cancelRefetch: false });
  // The read in progress may have begun before the change.
  if (isUnderWay) await client.invalidateQueries(filters, { cancelRefetch: false });
}

/** Reads the displayed items, comments and counts again. */
export function rereadAttention(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ATTENTION });
}
