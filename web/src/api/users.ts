import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, callForFile } from './http';
import type { ListUsersData, ReportUsersData } from './schema.gen';

const LISTS = ['users', 'list'] as const;
const REFRESH_MS = 60_000;

export type UserListQuery = NonNullable<ListUsersData['query']>;

/** There are no events about users, so an open list is read again at intervals. */
export function usersQuery(query: UserListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => call('GET /api/users', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** A report of all matching users. */
export function reportUsers(query: ReportUsersData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/users/report', { query, signal });
}

/** Sends the confirmation mail again. */
export function resendConfirmation(id: string): Promise<void> {
  return call('POST /api/users/{id}/confirmation', { path: { id } });
}

/** Reads the displayed lists again. */
export function rereadUserLists(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: LISTS });
}
