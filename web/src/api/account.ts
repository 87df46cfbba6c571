import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { setTimeFormat, type TimeFormat } from '@/lib/time';
import { call } from './http';
import type { PasswordChange, Preferences, Profile, ProfileForm, Session } from './schema.gen';
import { changeSession, sessionQuery } from './session';

export const profileQuery = queryOptions({
  queryKey: ['account', 'profile'],
  queryFn: ({ signal }) => call('GET /api/account', { signal }),
});

export function updateProfile(body: ProfileForm): Promise<Profile> {
  return call('PUT /api/account', { body });
}

/** Takes over the answer: the name stands in the session, too. */
export async function applyProfile(client: QueryClient, profile: Profile): Promise<void> {
  client.setQueryData(profileQuery.queryKey, profile);
  const name = { firstname: profile.firstname ?? '', lastname: profile.lastname ?? '' };
  await changeSession(client, (session) => ({ ...session, user: { ...session.user, ...name } }));
}

/** Answers the session that takes the place of the one before. */
export function updatePassword(body: PasswordChange): Promise<Session> {
  return call('PUT /api/account/password', { body });
}

/** Takes over the answer: the sessions of before are over. */
export function applyPassword(client: QueryClient, session: Session): void {
  client.setQueryData(sessionQuery.queryKey, session);
  client.removeQueries({ queryKey: accountSessionsQuery.queryKey });
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

export function updateTimeFormat(timeFormat: TimeFormat): Promise<Preferences> {
  return call('PUT /api/account/preferences', { body: { timeFormat } });
}

/** Takes over the answer: from here on times are shown like that. */
export async function applyPreferences(client: QueryClient, { timeFormat }: Preferences): Promise<void> {
  await changeSession(client, (session) => {
    setTimeFormat(timeFormat);
    return { ...session, timeFormat };
  });
}
