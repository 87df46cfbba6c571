import { MutationCache, QueryClient } from '@tanstack/react-query';
import { rereadAudit } from './audit';
import { ApiError } from './errors';

const MAX_RETRIES = 1;

/** Reads are repeated once when the server was out of reach; any other error is shown as it is. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    // Whoever changes something finds it among the changes.
    mutationCache: new MutationCache({ onSettled: () => rereadAudit(client) }),
    defaultOptions: {
      // Without a network a read must fail and say so, not wait in silence.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        staleTime: 5_000,
        // The route has just asked; a screen that appears must not ask again because the answer was an error.
        retryOnMount: false,
        retry: (failures, error) => failures < MAX_RETRIES && error instanceof ApiError && error.isTransient,
      },
    },
  });
  return client;
}
