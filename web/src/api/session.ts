import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { setTimeFormat } from '@/browser/time';
import { call, sessionEnded, writeAs } from './http';
import type {
  AwaitedFactor,
  EndReason,
  PasskeyAnswer,
  PasskeyRequest,
  Permission,
  Session,
  SignIn,
} from './schema.gen';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => readSession(signal),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Throws `ApiError`. */
export async function readSession(signal?: AbortSignal): Promise<Session | null> {
  return applied(await call('GET /api/session', { signal }));
}

/** Returns the session, or what a user with a second factor has to do first. */
export async function createSession(body: SignIn): Promise<Session | AwaitedFactor> {
  const answer = await call('POST /api/session', { body, renewSession: false });
  return 'user' in answer ? applied(answer) : answer;
}

/** Completes a sign-in with a code of the second factor. */
export async function checkSecondFactor(code: string): Promise<Session> {
  return applied(await call('POST /api/session/second-factor', { body: { code }, renewSession: false }));
}

/** Begins to ask for a passkey, and returns the options for the browser. */
export async function beginPasskeyCheck(): Promise<PasskeyRequest['options']> {
  return (await call('POST /api/session/second-factor/passkey', { renewSession: false })).options;
}

/** Completes a sign-in with the browser's answer for a passkey. */
export async function checkPasskey(credential: PasskeyAnswer['credential']): Promise<Session> {
  const body = { credential };
  return applied(await call('PUT /api/session/second-factor/passkey', { body, renewSession: false }));
}

/** From now on the page writes as this user, and shows times in the format that the user chose, if any. Returns the session. */
function applied<T extends Session | null>(session: T): T {
  writeAs(session?.user.id);
  setTimeFormat(session?.timeFormat ?? null);
  return session;
}

export function deleteSession(): Promise<void> {
  return call('DELETE /api/session', { renewSession: false });
}

/** A permission of the signed-in user. The web never decides by role. */
export function useCan(permission: Permission): boolean {
  return useQuery(sessionQuery).data?.can.includes(permission) ?? false;
}

let recheck: Promise<boolean> | undefined;

/**
 * Reads the session again, because it may have ended or its permissions may have changed. Concurrent calls share one
 * request. `reason` is why the session may have ended, if known. Resolves to false if the server is unreachable.
 */
export function recheckSession(client: QueryClient, reason?: EndReason): Promise<boolean> {
  recheck ??= recheckOnce(client, reason).finally(() => {
    recheck = undefined;
  });
  return recheck;
}

async function recheckOnce(client: QueryClient, reason?: EndReason): Promise<boolean> {
  const before = client.getQueryData(sessionQuery.queryKey);
  try {
    const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
    if (session === null) sessionEnded(reason);
    else if (before && accessOf(before) !== accessOf(session)) {
      // The user may no longer be allowed to see the displayed data.
      void client.resetQueries({ predicate: isNoSession });
      onAccessChange();
    }
    return true;
  } catch {
    return false;
  }
}

/** Stores a change made by the user. A read in progress may not include it and is restarted. */
export async function changeSession(client: QueryClient, change: (session: Session) => Session): Promise<void> {
  const { queryKey } = sessionQuery;
  const isRead = client.isFetching({ queryKey, exact: true }) > 0;
  await client.cancelQueries({ queryKey, exact: true });
  client.setQueryData(queryKey, (session) => session && change(session));
  if (isRead) void recheckOnce(client);
}

/** Identifies user and permissions. Another tab may have signed in another user. */
function accessOf({ user, role, csp, can, needsSecondFactor }: Session): string {
  return JSON.stringify([user.id, role, csp, can, needsSecondFactor]);
}

function isNoSession({ queryKey }: { queryKey: readonly unknown[] }): boolean {
  return queryKey[0] !== sessionQuery.queryKey[0];
}

let onAccessChange: () => void = () => undefined;

/** Called when the user's permissions change. */
export function setAccessChangeHandler(handler: () => void): void {
  onAccessChange = handler;
}
