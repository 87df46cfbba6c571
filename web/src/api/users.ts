import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, callForFile } from './http';
import type { ListUsersData, ReportUsersData } from './schema.gen';

const LISTS = ['users', 'list'] as const;
const REFRESH_MS = 60_000;

export type UserListQuery = NonNullable<ListUsersData['query']>;

/** Nothing tells of people as it does of devices, so a list that stays open reads again from time to time. */
export function usersQuery(query: UserListQuery) {
  return queryOptions({
    queryKey: [...LISTS, query],
    queryFn: ({ signal }) => call('GET /api/users', { query, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
}

/** All people who match, as a file. */
export function reportUsers(query: ReportUsersData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/users/report', { query, signal });
}

/** Has somebody sent the mail once more that confirms the address. */
export function resendConfirmation(id: string): Promise<void> {
  return call('POST /api/users/{id}/confirmation', { path: { id } });
}

/** Reads again the lists on the screen. */
export function rereadUserLists(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: LISTS });
}
