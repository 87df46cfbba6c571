import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { rereadAudit } from './audit';
import { logFailedCall } from './error-log';
import { ApiError, isCode, isStatus } from './errors';
import { recheckSession } from './session';

const MAX_RETRIES = 1;
const FRESH_MS = 5_000;

/** Reads are retried once if the server was unreachable, but not without a network; other errors are shown at once. */
export function createQueryClient(): QueryClient {
  // A 403 or 404 can mean that the user's permissions changed. Users without a stream learn it only here.
  const onError = (error: Error) => {
    if (isStatus(error, 403) || isStatus(error, 404)) void recheckSession(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        // Filters are objects and may contain e-mail addresses.
        logFailedCall(`Reading ${queryKey.filter((part) => typeof part === 'string').join('/')}`, error);
        onError(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        logFailedCall('Writing', error);
        onError(error);
        // A repeated write was not carried out again: the page must show what is stored by now.
        if (isCode(error, 'changed_since')) void client.invalidateQueries();
      },
      // The audit must show the change, but the page must not wait for it.
      onSettled: () => {
        void rereadAudit(client);
      },
    }),
    defaultOptions: {
      // Without a network a read must fail visibly instead of waiting.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: FRESH_MS,
        // The route's loader may have just read it; a mounting page must not retry because the response was an error.
        retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > FRESH_MS,
        // 'always' would switch it off.
        refetchOnReconnect: true,
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && error.isTransient && navigator.onLine,
      },
    },
  });
  return client;
}
