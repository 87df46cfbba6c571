import { useRouter } from '@tanstack/react-router';
import { isCode, messageOf } from '@/api/errors';
import { useListPreferences } from '@/api/list-preferences';
import type { List, ListView, Readers, SearchOf } from '@/domain/list';
import { useLink } from './useLink';

interface Options<Sort extends string, R extends Readers> {
  list: List<Sort, R>;
  search: SearchOf<List<Sort, R>>;
  /** Writes the changed state to the URL. */
  onSearch: (search: SearchOf<List<Sort, R>>, replace: boolean) => void;
}

/** The state of a list in the URL, and the properties with which `List` shows and changes it. */
export function useListView<Sort extends string, R extends Readers>({ list, search, onSearch }: Options<Sort, R>) {
  const preferences = useListPreferences(list.name);
  const router = useRouter();
  const link = useLink();
  const view = list.shown(search, preferences.pageSize);
  const isLeaving = () => {
    const { resolvedLocation } = router.state;
    return resolvedLocation !== undefined && resolvedLocation.pathname !== router.latestLocation.pathname;
  };
  /** Every change except paging returns to the first page. */
  const change = (part: object, replace = false) => {
    // A search that is applied while the page of a clicked row is loading would undo the click.
    if (replace && isLeaving()) return;
    onSearch(list.read({ ...search, page: 1, ...part }), replace);
  };
  return {
    view,
    filters: list.filters(search),
    change,
    listProps: {
      link,
      defaults: list.defaults,
      view,
      onView: (part: Partial<ListView>) => {
        if (part.page_size) preferences.rememberPageSize(part.page_size);
        change(list.chosen(part));
      },
      density: preferences.density,
      onDensity: preferences.rememberDensity,
      onReset: () => onSearch(list.read({}), false),
    },
  };
}

interface ListQueryResult {
  isPlaceholderData: boolean;
  isError: boolean;
  error: unknown;
  refetch: () => Promise<unknown>;
}

/** The properties of `List` that show the state of its query. */
export function queryProps(query: ListQueryResult) {
  return {
    busy: query.isPlaceholderData,
    error: query.isError ? messageOf(query.error) : undefined,
    isLimited: isCode(query.error, 'list_limited'),
    onRetry: () => void query.refetch(),
  };
}
