import type { CspListQuery } from '@/api/csps';
import { defineList, type SearchOf, type ShownOf } from '@/domain/list';
import { textFilter } from '@/domain/search-state';

/** The query string of /csps: filter and defaults. */
export const cspsList = defineList({
  name: 'csps',
  sorts: ['name'],
  filters: { name: (raw) => textFilter(raw) },
  start: { page_size: 25, order: 'asc', order_by: 'name' },
});

export type CspsSearch = SearchOf<typeof cspsList>;

export function toCspListQuery({ page_size, order_by, ...same }: ShownOf<typeof cspsList>): CspListQuery {
  return { ...same, pageSize: page_size, orderBy: order_by };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set if a form was opened from the list; Back then leads there. */
    fromCsps?: CspsSearch;
  }
}
