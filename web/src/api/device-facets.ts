import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { readIfChanged } from './conditional-reads';
import { type DeviceFacetsQuery, FACETS } from './devices';
import type { DeviceFacets } from './schema.gen';

const REFRESH_MS = 60_000;

/** The values of a filter, the most frequent first, by pages. */
export function deviceFacetsQuery(query: Omit<DeviceFacetsQuery, 'page'>) {
  return infiniteQueryOptions({
    queryKey: [...FACETS, query],
    queryFn: (context) => readIfChanged('GET /api/devices/facets', { ...query, page: context.pageParam }, context),
    initialPageParam: 1,
    getNextPageParam: (last: DeviceFacets, pages: DeviceFacets[]) => {
      const count = pages.reduce((sum, { values }) => sum + values.length, 0);
      return last.values.length > 0 && count < last.total ? pages.length + 1 : undefined;
    },
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
    // The menu says that it failed, and reads again when it is opened again.
    retry: false,
  });
}
