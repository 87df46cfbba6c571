import type { FetchQueryOptions, QueryClient } from '@tanstack/react-query';
import type { SearchSchemaInput } from '@tanstack/react-router';
import type { List, RawSearch, Readers, SearchOf } from '@/lib/list';
import { keepFilters } from './guards';

interface LoaderArgs<Search> {
  context: { queryClient: QueryClient };
  deps: Search;
}

/** What makes a route that of a list: its URL is its state, its filters are kept, and it is read before it is shown. */
export function listRoute<Sort extends string, R extends Readers, Answer, Key extends readonly unknown[]>(
  list: List<Sort, R>,
  query: (search: SearchOf<List<Sort, R>>) => FetchQueryOptions<Answer, Error, Answer, Key>,
) {
  type Search = SearchOf<List<Sort, R>>;
  return {
    validateSearch: (raw: RawSearch<Sort, R> & SearchSchemaInput): Search => list.read(raw),
    beforeLoad: keepFilters(list.filters),
    loaderDeps: ({ search }: { search: Search }) => search,
    loader: ({ context, deps }: LoaderArgs<Search>) => {
      void context.queryClient.prefetchQuery(query(deps));
    },
  };
}
