import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from './http';
import type { CreateSessionData, DeleteSessionData, GetSessionData, Permission, Session, SignIn } from './schema.gen';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => call<Session | null, GetSessionData>('GET', { url: '/api/session' }, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export function createSession(body: SignIn): Promise<Session> {
  return call<Session, CreateSessionData>('POST', { url: '/api/session', body }, { renewSession: false });
}

export function deleteSession(): Promise<void> {
  return call<void, DeleteSessionData>('DELETE', { url: '/api/session' }, { renewSession: false });
}

/** What the server says the signed-in user may do; the web never looks at the role. */
export function useCan(permission: Permission): boolean {
  return useQuery(sessionQuery).data?.can.includes(permission) ?? false;
}
