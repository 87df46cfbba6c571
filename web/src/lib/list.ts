import { ORDERS, type Order, oneOf, PAGE_SIZES, type PageSize, pageNumber } from './search-state';

/** What every list has in its query string beside its filters. */
export interface ListView<Sort extends string = string> {
  page: number;
  page_size: PageSize;
  order: Order;
  order_by: Sort;
}

/** The filters that are set, by name. */
export type FilterValues = Readonly<Record<string, string | undefined>>;

/** Reads one filter from what stands in the URL; undefined when it is not set or makes no sense. */
type Reader = (raw: unknown) => string | undefined;
export type Readers = Readonly<Record<string, Reader>>;

type Filters<R extends Readers> = { [Name in keyof R]?: ReturnType<R[Name]> };
type Search<Sort extends string, R extends Readers> = ListView<Sort> & Filters<R>;
export type RawSearch<Sort extends string, R extends Readers> = Partial<Record<keyof Search<Sort, R>, unknown>>;

/** The query string of one list: what may stand there, and what it means when it does not. */
export interface List<Sort extends string, R extends Readers> {
  sorts: readonly Sort[];
  filterNames: readonly (keyof R & string)[];
  /** Not written to the URL. */
  defaults: ListView<Sort>;
  /** All filters, those that are not set as undefined. */
  filters: (raw: RawSearch<Sort, R>) => Filters<R>;
  /** Everything; what makes no sense falls back to its default. */
  read: (raw: RawSearch<Sort, R>) => Search<Sort, R>;
}

export type SearchOf<L> = L extends List<infer Sort, infer R> ? Search<Sort, R> : never;
export type FilterOf<L> = L extends List<string, infer R> ? keyof R & string : never;

interface Definition<Sort extends string, R extends Readers> {
  sorts: readonly Sort[];
  /** In the order in which they are shown. */
  filters: R;
  /** How the list is shown at first. */
  start: Omit<ListView<Sort>, 'page'>;
}

export function defineList<const Sort extends string, R extends Readers>({
  sorts,
  filters: readers,
  start,
}: Definition<Sort, R>): List<Sort, R> {
  const filterNames = Object.keys(readers);
  const defaults = { page: 1, ...start };
  const filters = (raw: RawSearch<Sort, R>) =>
    Object.fromEntries(filterNames.map((name) => [name, readers[name]?.(raw[name])])) as Filters<R>;
  return {
    sorts,
    filterNames,
    defaults,
    filters,
    read: (raw) => ({
      page: pageNumber(raw.page) ?? defaults.page,
      page_size: oneOf(PAGE_SIZES, raw.page_size) ?? defaults.page_size,
      order: oneOf(ORDERS, raw.order) ?? defaults.order,
      order_by: oneOf(sorts, raw.order_by) ?? defaults.order_by,
      ...filters(raw),
    }),
  };
}

/** A header goes from ascending over descending back to the default order. */
export function nextSort(view: ListView, by: string, defaults: ListView): Pick<ListView, 'order' | 'order_by'> {
  if (view.order_by !== by) return { order_by: by, order: 'asc' };
  if (view.order === 'asc') return { order_by: by, order: 'desc' };
  return { order_by: defaults.order_by, order: defaults.order };
}

/** The filters and the order of a list, without the page. */
export function wholeList<Query extends { page?: unknown; pageSize?: unknown }>({
  page: _page,
  pageSize: _size,
  ...query
}: Query): Omit<Query, 'page' | 'pageSize'> {
  return query;
}
