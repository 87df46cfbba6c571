import type { ReactNode } from 'react';
import type { ListView } from '@/domain/list';
import { lastPage, listFooter } from '@/domain/list-footer';
import { PAGE_SIZES } from '@/domain/search-state';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { EmptyNotice } from '@/ui/notices/Notice';
import { type Column, DataTable, type RowDensity } from './DataTable';
import { Pager } from './Pager';
import { RowCards } from './RowCards';
import type { RowSelection } from './row-selection';
import { SelectionBar } from './SelectionBar';
import { SortControl } from './SortControl';

/** One page of a list in the server's response. */
export interface RowsPage<Row> {
  rows: readonly Row[];
  total: number;
  currentPageNumber: number;
  /** Every change before this time is in the list; null while the list is filled for the first time. */
  asOf: string | null;
  /** Every connection, reported value and command before this time, which may be later. */
  statesAsOf?: string;
  /** The console's index, or the device cloud, which has fewer sort columns and filters. */
  source?: 'index' | 'cloud';
}

export interface ListRowsProps<Row> {
  page: RowsPage<Row>;
  rowKey: (row: Row) => string;
  /** For desktop screens. */
  columns: readonly Column<Row>[];
  /** For phones. */
  card: (row: Row) => ReactNode;
  /** The heading above rows with the same one. */
  heading?: ((row: Row) => string) | undefined;
  /** The default order. */
  defaults: Pick<ListView, 'order' | 'order_by'>;
  sorts: readonly { value: string; label: string }[];
  view: ListView;
  onView: (part: Partial<ListView>) => void;
  onSort: (by: string) => void;
  density: RowDensity;
  onDensity: (density: RowDensity) => void;
  /** Set while rows are selectable. */
  selection?: RowSelection<Row> | undefined;
  /** The rows are still those of the previous view. */
  busy: boolean;
  isFiltered: boolean;
  /** Shown if the list is empty: how to get rows. */
  remedy?: ReactNode;
  texts: { title: string; noMatch: string; noRows: string };
}

/** The rows or an empty notice, and the pager. */
export function ListRows<Row>({
  page,
  view,
  onView,
  onDensity,
  isFiltered,
  remedy,
  texts,
  ...rest
}: ListRowsProps<Row>) {
  const { rows, total, currentPageNumber } = page;
  return (
    <>
      {rest.selection && <SelectionBar selection={rest.selection} total={total} busy={rest.busy} />}
      {rows.length > 0 ? (
        <Rows rows={rows} view={view} onView={onView} caption={texts.title} {...rest} />
      ) : (
        <EmptyNotice title={t.list.empty} text={isFiltered ? texts.noMatch : texts.noRows} action={remedy} />
      )}
      <Pager
        footer={listFooter(texts.title, currentPageNumber, view.page_size, rows.length, total)}
        page={currentPageNumber}
        last={lastPage(total, view.page_size)}
        onPage={(page) => onView({ page })}
        pageSize={view.page_size}
        pageSizes={PAGE_SIZES}
        onPageSize={(page_size) => onView({ page_size })}
        density={rest.density}
        onDensity={onDensity}
      />
    </>
  );
}

interface RowsProps<Row> extends Omit<ListRowsProps<Row>, 'page' | 'isFiltered' | 'remedy' | 'texts' | 'onDensity'> {
  rows: readonly Row[];
  caption: string;
}

function Rows<Row>({
  rows,
  rowKey,
  columns,
  card,
  sorts,
  defaults,
  view,
  onView,
  onSort,
  caption,
  ...rest
}: RowsProps<Row>) {
  if (useIsHandheld()) {
    return (
      <>
        <SortControl view={view} sorts={sorts} defaults={defaults} onChange={onView} />
        <RowCards rows={rows} rowKey={rowKey} card={card} {...rest} />
      </>
    );
  }
  return (
    <DataTable
      caption={caption}
      columns={columns}
      rows={rows}
      rowKey={rowKey}
      sort={{ by: view.order_by, order: view.order }}
      onSort={onSort}
      {...rest}
    />
  );
}
