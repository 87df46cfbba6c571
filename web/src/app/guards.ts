import type { QueryClient } from '@tanstack/react-query';
import { redirect } from '@tanstack/react-router';
import { deleteSession, sessionQuery } from '@/api/session';
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

export async function goHome({ context }: Pick<GuardArgs, 'context'>): Promise<never> {
  const session = await context.queryClient.ensureQueryData(sessionQuery);
  throw redirect({ to: session ? '/devices' : '/signin', replace: true });
}

export async function signOut({ context }: Pick<GuardArgs, 'context'>): Promise<never> {
  await deleteSession();
  context.queryClient.clear();
  context.queryClient.setQueryData(sessionQuery.queryKey, null);
  throw redirect({ to: '/', replace: true });
}
