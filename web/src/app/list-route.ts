import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import type { SearchSchemaInput } from '@tanstack/react-router';
import { preferredPageSize } from '@/api/list-preferences';
import type { Permission } from '@/api/schema.gen';
import type { List, RawSearch, Readers, SearchOf, ShownOf } from '@/domain/list';
import { keepFilters, requirePermission } from './guards';

interface LoaderArgs<Search> {
  context: { queryClient: QueryClient };
  deps: Search;
}

type BeforeLoadArgs = Parameters<ReturnType<typeof requirePermission>>[0] &
  Parameters<ReturnType<typeof keepFilters>>[0];

/**
 * The route options of a list: its URL is its state, its filters are remembered, and it is prefetched. If `permission` is
 * given, only users with it may open the route.
 */
export function listRoute<Sort extends string, R extends Readers, Answer, Key extends readonly unknown[]>(
  list: List<Sort, R>,
  query: (search: ShownOf<List<Sort, R>>) => FetchQueryOptions<Answer, Error, Answer, Key>,
  permission?: Permission,
) {
  const keep = keepFilters(list.filters);
  type Search = SearchOf<List<Sort, R>>;
  return {
    validateSearch: (raw: RawSearch<Sort, R> & SearchSchemaInput): Search => list.read(raw),
    beforeLoad: async (args: BeforeLoadArgs) => {
      if (permission) await requirePermission(permission)(args);
      keep(args);
    },
    loaderDeps: ({ search }: { search: Search }) => search,
    loader: ({ context, deps }: LoaderArgs<Search>) => {
      const preferred = preferredPageSize(context.queryClient, list.name);
      void context.queryClient.prefetchQuery(query(list.shown(deps, preferred)));
    },
  };
}
