import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { DEFAULT_TIME_FORMAT, setTimeFormat } from '@/lib/time';
import { call, sessionEnded } from './http';
import type { CreateSessionData, DeleteSessionData, GetSessionData, Permission, Session, SignIn } from './schema.gen';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) =>
    heeded(await call<Session | null, GetSessionData>('GET', { url: '/api/session' }, { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

export async function createSession(body: SignIn): Promise<Session> {
  return heeded(await call<Session, CreateSessionData>('POST', { url: '/api/session', body }, { renewSession: false }));
}

/** From here on times are shown as this user wants them. */
function heeded<T extends Session | null>(session: T): T {
  setTimeFormat(session?.timeFormat ?? DEFAULT_TIME_FORMAT);
  return session;
}

export function deleteSession(): Promise<void> {
  return call<void, DeleteSessionData>('DELETE', { url: '/api/session' }, { renewSession: false });
}

/** What the server says the signed-in user may do; the web never looks at the role. */
export function useCan(permission: Permission): boolean {
  return useQuery(sessionQuery).data?.can.includes(permission) ?? false;
}

/** Reads the session again: it may have ended or changed. Resolves to false when the server cannot be reached. */
export async function recheckSession(client: QueryClient): Promise<boolean> {
  const before = client.getQueryData(sessionQuery.queryKey);
  try {
    const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
    if (session === null) sessionEnded();
    // Another tab has signed somebody else in, who may not see what is shown here.
    else if (before && before.user.id !== session.user.id) void client.resetQueries({ predicate: isNoSession });
    return true;
  } catch {
    return false;
  }
}

function isNoSession({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionQuery.queryKey[0];
}
