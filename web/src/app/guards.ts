import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import type { Permission } from '@/api/schema.gen';
import { deleteSession, sessionQuery } from '@/api/session';
import { forgetDrafts } from '@/lib/draft-memory';
import { forgetFilters, rememberFilters, takeFilters } from '@/lib/filter-memory';
import { storeReturnUrl } from '@/lib/return-url';

interface GuardArgs {
  context: { queryClient: QueryClient };
  location: { href: string };
}

/** Lets only signed-in people pass; the others come back after they have signed in. */
export async function requireSession({ context, location }: GuardArgs): Promise<void> {
  if (await context.queryClient.ensureQueryData(sessionQuery)) return;
  storeReturnUrl(location.href);
  throw redirect({ to: '/signin', replace: true });
}

/** Until it is known who is signed in, or that nobody can say. */
export async function awaitSession({ context }: Pick<GuardArgs, 'context'>): Promise<void> {
  await context.queryClient.prefetchQuery(sessionQuery);
}

/** Lets only people with this permission pass. The others are told, and stay signed in. */
export function requirePermission(permission: Permission) {
  return async ({ context }: Pick<GuardArgs, 'context'>): Promise<void> => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session?.can.includes(permission)) return;
    throw redirect({ to: '/signin', replace: true, state: { refused: true } });
  };
}

export async function goHome({ context }: Pick<GuardArgs, 'context'>): Promise<never> {
  const session = await context.queryClient.ensureQueryData(sessionQuery);
  throw redirect({ to: session ? '/devices' : '/signin', replace: true });
}

export async function signOut({ context }: Pick<GuardArgs, 'context'>): Promise<never> {
  await deleteSession();
  forgetFilters();
  forgetDrafts();
  context.queryClient.clear();
  context.queryClient.setQueryData(sessionQuery.queryKey, null);
  throw redirect({ to: '/', replace: true });
}

interface ListArgs {
  cause: 'enter' | 'stay' | 'preload';
  location: { pathname: string; searchStr: string };
  search: object;
}

/**
 * Gives a list that is opened without a query the filters it was left with; any other time it remembers them.
 * `read` takes the filters out of a search, and leaves out what makes no sense.
 */
export function keepFilters(read: (search: object) => object) {
  return ({ cause, location: { pathname, searchStr }, search }: ListArgs): void => {
    const isBare = cause === 'enter' && searchStr === '';
    const filters = setFilters(read((isBare && takeFilters(pathname)) || search));
    if (isBare && Object.keys(filters).length > 0) throw redirect({ to: pathname, search: filters, replace: true });
    rememberFilters(pathname, filters);
  };
}

function setFilters(filters: object): Record<string, string> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));
}
