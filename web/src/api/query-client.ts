import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { rereadAudit } from './audit';
import { logFailedCall } from './error-log';
import { ApiError, isStatus } from './errors';
import { recheckSession } from './session';

const MAX_RETRIES = 1;

/** Reads are repeated once when the server was out of reach, but not without a network; any other error is shown as it is. */
export function createQueryClient(): QueryClient {
  // Refused or hidden: they may do less than this page believes. Not everybody has a stream that says so.
  const onError = (error: Error) => {
    if (isStatus(error, 403) || isStatus(error, 404)) void recheckSession(client);
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        // Filters are objects: they may hold people's addresses.
        logFailedCall(`Reading ${queryKey.filter((part) => typeof part === 'string').join('/')}`, error);
        onError(error);
      },
    }),
    mutationCache: new MutationCache({
      onError: (error) => {
        logFailedCall('Writing', error);
        onError(error);
      },
      // The audit must show the change.
      onSettled: () => rereadAudit(client),
    }),
    defaultOptions: {
      // Without a network a read must fail and say so, not wait in silence.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // The route has just asked; a screen that appears must not ask again because the answer was an error.
        retryOnMount: false,
        retry: (failures, error) =>
          failures < MAX_RETRIES && error instanceof ApiError && error.isTransient && navigator.onLine,
      },
    },
  });
  return client;
}
