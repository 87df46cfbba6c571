import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { setTimeFormat, type TimeFormat } from '@/lib/time';
import { call } from './http';
import type {
  AccountSession,
  DeleteAccountSessionData,
  DeleteOtherAccountSessionsData,
  ListAccountSessionsData,
  Preferences,
  UpdatePreferencesData,
} from './schema.gen';
import { sessionQuery } from './session';

export const accountSessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) =>
    call<AccountSession[], ListAccountSessionsData>('GET', { url: '/api/account/sessions' }, { signal }),
});

export function deleteAccountSession(id: string): Promise<void> {
  return call<void, DeleteAccountSessionData>('DELETE', { url: '/api/account/sessions/{id}', path: { id } });
}

export function deleteOtherAccountSessions(): Promise<void> {
  return call<void, DeleteOtherAccountSessionsData>('DELETE', { url: '/api/account/sessions' });
}

export function updateTimeFormat(timeFormat: TimeFormat): Promise<Preferences> {
  return call<Preferences, UpdatePreferencesData>('PUT', { url: '/api/account/preferences', body: { timeFormat } });
}

/** Takes over the answer: from here on times are shown like that. */
export function applyPreferences(client: QueryClient, { timeFormat }: Preferences): void {
  setTimeFormat(timeFormat);
  client.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, timeFormat });
}
