import { ORDERS, type Order, oneOf, PAGE_SIZES, type PageSize, pageNumber } from './search-state';

/** The members of every list's query string besides its filters. */
export interface ListView<Sort extends string = string> {
  page: number;
  page_size: PageSize;
  order: Order;
  order_by: Sort;
}

export const VIEW_MEMBERS = ['page', 'page_size', 'order', 'order_by'] as const satisfies (keyof ListView)[];

/** A list whose page size is remembered for each person. */
export type ListName = 'devices' | 'users' | 'csps' | 'copyTargets';

/** The active filters by name. */
export type FilterValues = Readonly<Record<string, string | undefined>>;

/** Reads a filter from the URL; undefined if it is missing or invalid. */
type Reader = (raw: unknown) => string | undefined;
export type Readers = Readonly<Record<string, Reader>>;

type Filters<R extends Readers> = { [Name in keyof R]?: ReturnType<R[Name]> };
type Shown<Sort extends string, R extends Readers> = ListView<Sort> & Filters<R>;
/** The state in the URL. Without a page size the user's preferred one applies. */
type Search<Sort extends string, R extends Readers> = Omit<ListView<Sort>, 'page_size'> &
  Filters<R> & { page_size?: PageSize | undefined };
export type RawSearch<Sort extends string, R extends Readers> = Partial<Record<keyof Search<Sort, R>, unknown>>;

/** The query string of a list: its members and their defaults. */
export interface List<Sort extends string, R extends Readers> {
  name: ListName;
  sorts: readonly Sort[];
  filterNames: readonly (keyof R & string)[];
  /** Not written to the URL. */
  defaults: Omit<ListView<Sort>, 'page_size'>;
  /** All filters; inactive ones are undefined. */
  filters: (raw: RawSearch<Sort, R>) => Filters<R>;
  /** Reads everything; invalid values fall back to their defaults. */
  read: (raw: RawSearch<Sort, R>) => Search<Sort, R>;
  /** The state after the user has chosen `part`. The page size is omitted, because it becomes the preferred one. */
  chosen: (part: Partial<ListView>) => object;
  /** The displayed state for a user who prefers this page size. */
  shown: (search: Search<Sort, R>, preferred: PageSize | undefined) => Shown<Sort, R>;
}

export type SearchOf<L> = L extends List<infer Sort, infer R> ? Search<Sort, R> : never;
export type ShownOf<L> = L extends List<infer Sort, infer R> ? Shown<Sort, R> : never;
export type FilterOf<L> = L extends { filterNames: readonly (infer Name)[] } ? Name : never;

interface Definition<Sort extends string, R extends Readers> {
  name: ListName;
  sorts: readonly Sort[];
  /** In display order. */
  filters: R;
  /** The default order. */
  start: Omit<ListView<Sort>, 'page'>;
}

export function defineList<const Sort extends string, R extends Readers>({
  name,
  sorts,
  filters: readers,
  start: { page_size, ...start },
}: Definition<Sort, R>): List<Sort, R> {
  const filterNames = Object.keys(readers);
  const defaults = { page: 1, ...start };
  const filters = (raw: RawSearch<Sort, R>) =>
    Object.fromEntries(filterNames.map((name) => [name, readers[name]?.(raw[name])])) as Filters<R>;
  return {
    name,
    sorts,
    filterNames,
    defaults,
    filters,
    read: (raw) => ({
      page: pageNumber(raw.page) ?? defaults.page,
      page_size: oneOf(PAGE_SIZES, raw.page_size),
      order: oneOf(ORDERS, raw.order) ?? defaults.order,
      order_by: oneOf(sorts, raw.order_by) ?? defaults.order_by,
      ...filters(raw),
    }),
    chosen: (part) => (part.page_size === page_size ? { ...part, page_size: undefined } : part),
    shown: (search, preferred) => ({ ...search, page_size: search.page_size ?? preferred ?? page_size }),
  };
}

type SortedBy = Pick<ListView, 'order' | 'order_by'>;

/** The order after a click on a header: ascending, descending, then the default. */
export function nextSort(view: SortedBy, by: string, defaults: SortedBy): SortedBy {
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
