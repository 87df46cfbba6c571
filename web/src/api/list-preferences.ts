import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ListName } from '@/domain/list';
import { logFailedCall } from './error-log';
import { call } from './http';
import type { Density, ListPreferences, ListPreferencesForm, PageSize } from './schema.gen';
import { changeSession, sessionQuery } from './session';

/** The user's preferred page size for a list; undefined if none was chosen. */
export function preferredPageSize(client: QueryClient, list: ListName): PageSize | undefined {
  return client.getQueryData(sessionQuery.queryKey)?.listPreferences.pageSizes[list];
}

/** The user's preferences for a list, and a function that stores another choice for all their browsers. */
export function useListPreferences(list: ListName) {
  const preferences = useQuery(sessionQuery).data?.listPreferences;
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: updateListPreferences,
    // One at a time, so that the last choice wins.
    scope: { id: 'list-preferences' },
    onMutate: ({ pageSizes, density }) =>
      apply(client, (before) => ({
        ...before,
        pageSizes: { ...before.pageSizes, ...pageSizes },
        density: density ?? before.density,
      })),
    // The list keeps the choice although it was not stored.
    onError: (error) => logFailedCall('Saving the list preferences', error),
  });
  return {
    pageSize: preferences?.pageSizes[list],
    density: preferences?.density ?? 'comfortable',
    rememberPageSize: (pageSize: PageSize) => save.mutate({ pageSizes: { [list]: pageSize } }),
    rememberDensity: (density: Density) => save.mutate({ density }),
  };
}

export function updateListPreferences(body: ListPreferencesForm): Promise<ListPreferences> {
  return call('PUT /api/account/list-preferences', { body });
}

/** Stores the response. */
export function applyListPreferences(client: QueryClient, after: ListPreferences): Promise<void> {
  return apply(client, () => after);
}

function apply(client: QueryClient, change: (before: ListPreferences) => ListPreferences): Promise<void> {
  return changeSession(client, (session) => ({ ...session, listPreferences: change(session.listPreferences) }));
}
