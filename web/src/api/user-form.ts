import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { Invitation, InvitedUser, SavedUser, User, UserForm } from './schema.gen';

export function userQuery(id: string) {
  return queryOptions({
    queryKey: ['users', 'detail', id],
    queryFn: ({ signal }) => call('GET /api/users/{id}', { path: { id }, signal }),
  });
}

export function inviteUser(body: Invitation): Promise<InvitedUser> {
  return call('POST /api/users', { body, hasDraft: true });
}

export function updateUser(id: string, body: UserForm): Promise<SavedUser> {
  return call('PUT /api/users/{id}', { path: { id }, body });
}

/** Open items of the user become those of the successor, or nobody's. */
export function removeUser(id: string, successor: string | null): Promise<void> {
  return call('DELETE /api/users/{id}', { path: { id }, query: { ...(successor !== null && { successor }) } });
}

/** Reads the user from the cloud again. */
export function refreshUser(id: string): Promise<User> {
  return call('POST /api/users/{id}', { path: { id } });
}

export function sendPasswordReset(id: string): Promise<void> {
  return call('POST /api/users/{id}/password-reset', { path: { id } });
}

/** Removes the second factor of a user who has lost it. */
export function resetSecondFactor(id: string): Promise<void> {
  return call('DELETE /api/users/{id}/second-factor', { path: { id } });
}

/** Ends all access of the user until they are enabled. */
export function disableUser(id: string): Promise<void> {
  return call('PUT /api/users/{id}/disabled', { path: { id } });
}

export function enableUser(id: string): Promise<void> {
  return call('DELETE /api/users/{id}/disabled', { path: { id } });
}

/** Reads displayed users again, and the CSPs, which contain counts of users. */
export async function rereadUsers(client: QueryClient): Promise<void> {
  await Promise.all(['users', 'csps'].map((name) => client.invalidateQueries({ queryKey: [name] })));
}

/** Stores the response to a write. */
export function applyUser(client: QueryClient, user: User): void {
  client.setQueryData(userQuery(user.id).queryKey, user);
}

/** Drops a removed user without reading it again. */
export async function dropUser(client: QueryClient, id: string): Promise<void> {
  client.removeQueries({ queryKey: userQuery(id).queryKey });
  await rereadUsers(client);
}
