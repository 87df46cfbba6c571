import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { ApiError } from '@/api/errors';
import type { EndReason, Permission } from '@/api/schema.gen';
import { deleteSession, sessionQuery } from '@/api/session';
import { forgetDraftsInAllTabs } from '@/browser/draft-memory';
import { forgetFilters, rememberFilters, takeFilters } from '@/browser/filter-memory';
import { storeReturnUrl } from '@/browser/return-url';
import { t } from '@/i18n/en';

interface GuardArgs {
  context: { queryClient: QueryClient };
  location: { href: string };
}

interface SignOutArgs {
  context: { queryClient: QueryClient };
  location: { state: { sessionEnded?: EndReason } };
}

/**
 * Requires a signed-in user; others are redirected to sign-in, or to the set-up of a second factor that their role needs, and
 * return afterwards.
 */
export async function requireSession({ context, location }: GuardArgs): Promise<void> {
  const session = await context.queryClient.ensureQueryData(sessionQuery);
  if (session && !session.needsSecondFactor) return;
  storeReturnUrl(location.href);
  throw redirect({ to: session ? '/two-step-setup' : '/signin', replace: true });
}

/** Requires a user whose role needs a second factor that is not set up. */
export async function requireMissingFactor({ context }: Pick<GuardArgs, 'context'>): Promise<void> {
  const session = await context.queryClient.ensureQueryData(sessionQuery);
  if (!session?.needsSecondFactor) throw redirect({ to: '/', replace: true });
}

/** Waits until the session is known or cannot be read. */
export async function awaitSession({ context }: Pick<GuardArgs, 'context'>): Promise<void> {
  await context.queryClient.prefetchQuery(sessionQuery);
}

/** Requires a permission. Users without it see so in place of the page, at its address. */
export function requirePermission(permission: Permission) {
  return async ({ context }: Pick<GuardArgs, 'context'>): Promise<void> => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session?.can.includes(permission)) return;
    throw new ApiError(403, 'forbidden', t.errors.refused);
  };
}

export async function goHome({ context }: Pick<GuardArgs, 'context'>): Promise<never> {
  const session = await context.queryClient.ensureQueryData(sessionQuery);
  throw redirect({ to: session ? '/devices' : '/signin', replace: true });
}

/** Signs out. Drafts are deleted in all tabs, unless the session ended by itself: the same user can go on with them. */
export async function signOut({ context, location }: SignOutArgs): Promise<never> {
  const { sessionEnded } = location.state;
  // The server refuses reads that reach it after the end of the session.
  await context.queryClient.cancelQueries();
  await deleteSession();
  forgetFilters();
  if (!sessionEnded) forgetDraftsInAllTabs();
  context.queryClient.clear();
  context.queryClient.setQueryData(sessionQuery.queryKey, null);
  throw redirect({ to: '/signin', replace: true, ...(sessionEnded && { state: { sessionEnded } }) });
}

interface ListArgs {
  cause: 'enter' | 'stay' | 'preload';
  location: { pathname: string; searchStr: string };
  search: object;
}

/**
 * Restores the last filters of a list that is opened without a query, and remembers them otherwise. `read` extracts
 * the valid filters from a query.
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
