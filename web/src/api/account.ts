import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { setTimeFormat, type TimeFormat } from '@/browser/time';
import { call } from './http';
import type {
  AccountTokenForm,
  NewAccountToken,
  PasswordChange,
  Preferences,
  Profile,
  ProfileForm,
  Session,
} from './schema.gen';
import { changeSession, sessionQuery } from './session';

export const profileQuery = queryOptions({
  queryKey: ['account', 'profile'],
  queryFn: ({ signal }) => call('GET /api/account', { signal }),
});

export function updateProfile(body: ProfileForm): Promise<Profile> {
  return call('PUT /api/account', { body });
}

/** Stores the response, also in the session, which contains the name. */
export async function applyProfile(client: QueryClient, profile: Profile): Promise<void> {
  client.setQueryData(profileQuery.queryKey, profile);
  const name = { firstname: profile.firstname ?? '', lastname: profile.lastname ?? '' };
  await changeSession(client, (session) => ({ ...session, user: { ...session.user, ...name } }));
}

/** Returns the session that replaces the current one. */
export function updatePassword(body: PasswordChange): Promise<Session> {
  return call('PUT /api/account/password', { body });
}

/** Stores the response; other sessions and all access tokens have ended. */
export function applyPassword(client: QueryClient, session: Session): void {
  client.setQueryData(sessionQuery.queryKey, session);
  client.removeQueries({ queryKey: accountSessionsQuery.queryKey });
  client.removeQueries({ queryKey: accountTokensQuery.queryKey });
}

export const accountSessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: ({ signal }) => call('GET /api/account/sessions', { signal }),
});

export function deleteAccountSession(id: string): Promise<void> {
  return call('DELETE /api/account/sessions/{id}', { path: { id } });
}

export function deleteOtherAccountSessions(): Promise<void> {
  return call('DELETE /api/account/sessions');
}

export const accountTokensQuery = queryOptions({
  queryKey: ['account', 'tokens'],
  queryFn: ({ signal }) => call('GET /api/account/tokens', { signal }),
});

/** The response is the only one with the token itself. */
export function createAccountToken(body: AccountTokenForm): Promise<NewAccountToken> {
  return call('POST /api/account/tokens', { body });
}

export function deleteAccountToken(id: string): Promise<void> {
  return call('DELETE /api/account/tokens/{id}', { path: { id } });
}

export function updateTimeFormat(timeFormat: TimeFormat): Promise<Preferences> {
  return call('PUT /api/account/preferences', { body: { timeFormat } });
}

/** Stores the response and applies the time format. */
export async function applyPreferences(client: QueryClient, { timeFormat }: Preferences): Promise<void> {
  await changeSession(client, (session) => {
    setTimeFormat(timeFormat);
    return { ...session, timeFormat };
  });
}
