import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import classes from './DataTable.module.css';
import { chooseRow, followRowLink } from './followRowLink';
import type { RowSelection } from './row-selection';
import { SelectPage, SelectRow } from './SelectRow';

export interface SortState {
  by: string;
  order: 'asc' | 'desc';
}

interface HeaderLabel {
  label: string;
  /** The sort field; without it the label is only a label. */
  sort?: string;
}

/** 44 or 36 pixels for a row. */
export type RowDensity = 'comfortable' | 'compact';

export interface Column<Row> {
  /** One label, or more for a column that shows more values below each other: the others share the second line. */
  labels: readonly [HeaderLabel, ...HeaderLabel[]];
  cell: (row: Row) => ReactNode;
  /** Takes the width that the others leave. */
  grow?: boolean;
  /**
   * Its share of the width. Where columns have one, a value keeps to its line: what does not fit is cut, and its cell says
   * it in a title.
   */
  share?: number;
}

interface Props<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Missing in a list whose order is always the same. */
  sort?: SortState;
  onSort?: (by: string) => void;
  /** Set when rows are to be chosen; then that is what a click on a row does. */
  selection?: RowSelection<Row> | undefined;
  busy: boolean;
  density?: RowDensity;
}

/** A table that the server sorts and pages. The row link answers on all of its row. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  sort,
  onSort,
  selection,
  busy,
  density = 'comfortable',
}: Props<Row>) {
  const shares = columns.reduce((sum, { share = 0 }) => sum + share, 0);
  return (
    <div className={classes.scroll}>
      <table
        className={classes.table}
        aria-busy={busy}
        data-busy={busy}
        data-density={density}
        data-shared={shares > 0}
        data-choosing={selection !== undefined}
      >
        <caption className={classes.caption}>{caption}</caption>
        {shares > 0 && (
          <colgroup>
            {selection && <col className={classes.boxes} />}
            {columns.map(({ labels, share = 0 }) => (
              <col key={labels[0].label} style={{ width: `${(100 * share) / shares}%` }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr>
            {selection && (
              <th scope="col">
                <SelectPage selection={selection} keys={rows.map(rowKey)} />
              </th>
            )}
            {columns.map(({ labels, grow }) => {
              const [first, ...others] = labels;
              return (
                <th
                  key={first.label}
                  className={grow ? classes.grow : undefined}
                  scope="col"
                  aria-sort={ariaSort(labels, sort)}
                >
                  <Header header={first} sort={sort} onSort={onSort} />
                  {others.length > 0 && (
                    <div className={classes.others}>
                      {others.map((header) => (
                        <Header key={header.label} header={header} sort={sort} onSort={onSort} />
                      ))}
                    </div>
                  )}
                </th>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              onClick={selection ? chooseRow : followRowLink}
              data-chosen={selection?.chosen.has(rowKey(row))}
            >
              {selection && (
                <td className={classes.box}>
                  <SelectRow selection={selection} row={row} rowKey={rowKey(row)} />
                </td>
              )}
              {columns.map(({ labels, cell }) => (
                <td key={labels[0].label}>{cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ariaSort(labels: readonly HeaderLabel[], sort: SortState | undefined) {
  if (!sort || !labels.some((header) => header.sort === sort.by)) return undefined;
  return sort.order === 'asc' ? 'ascending' : 'descending';
}

interface HeaderProps {
  header: HeaderLabel;
  sort: SortState | undefined;
  onSort: ((by: string) => void) | undefined;
}

function Header({ header: { label, sort: by }, sort, onSort }: HeaderProps) {
  if (!by || !sort || !onSort) return <span className={classes.label}>{label}</span>;
  const active = by === sort.by;
  const Icon = !active ? IconSelector : sort.order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <button type="button" className={classes.label} data-active={active} onClick={() => onSort(by)}>
      {label}
      <Icon size={12} aria-hidden="true" />
    </button>
  );
}
