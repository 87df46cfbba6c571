import { IconArrowDown, IconArrowUp, IconSelector } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import classes from './DataTable.module.css';
import { OPENING_ROW, SELECTABLE_ROW } from './followRowLink';
import type { RowSelection } from './row-selection';
import { SelectPage, SelectRow } from './SelectRow';

export interface SortState {
  by: string;
  order: 'asc' | 'desc';
}

interface HeaderLabel {
  label: string;
  /** The sort field; without it the column cannot be sorted. */
  sort?: string;
}

/** Row height of 44 or 36 pixels. */
export type RowDensity = 'comfortable' | 'compact';

export interface Column<Row> {
  /** The labels of the column's values. The first value is on the first line, the others share the second. */
  labels: readonly [HeaderLabel, ...HeaderLabel[]];
  cell: (row: Row) => ReactNode;
  /** Takes the remaining width. */
  grow?: boolean;
  /**
   * Its share of the width. Values then stay on one line: a longer one is truncated, with the full text in the title.
   */
  share?: number;
  /** Set if the column is left out where the others would become too narrow: first the first ones, then the second ones. */
  leaves?: 'first' | 'second';
}

interface Props<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Undefined for a list with a fixed order. */
  sort?: SortState;
  onSort?: (by: string) => void;
  /** Set while rows are selectable; a click on a row then selects it. */
  selection?: RowSelection<Row> | undefined;
  busy: boolean;
  density?: RowDensity;
  /** The heading above rows with the same one. */
  heading?: ((row: Row) => string) | undefined;
}

/**
 * A table that the server sorts and pages. The whole row is the row link's click area. It never scrolls sideways, and its head
 * stays below the header of the page.
 */
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
  heading,
}: Props<Row>) {
  const shares = columns.reduce((sum, { share = 0 }) => sum + share, 0);
  return (
    <div className={classes.room}>
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
            {columns.map(({ labels, share = 0, leaves }) => (
              <col key={labels[0].label} data-leaves={leaves} style={{ width: `${(100 * share) / shares}%` }} />
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
            {columns.map(({ labels, grow, leaves }) => {
              const [first, ...others] = labels;
              return (
                <th
                  key={first.label}
                  className={grow ? classes.grow : undefined}
                  data-leaves={leaves}
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
          {rows.map((row, place) => (
            <Fragment key={rowKey(row)}>
              {heading && startsGroup(rows, place, heading) && (
                <tr>
                  <th className={classes.group} scope="rowgroup" colSpan={columns.length + (selection ? 1 : 0)}>
                    {heading(row)}
                  </th>
                </tr>
              )}
              <tr {...(selection ? SELECTABLE_ROW : OPENING_ROW)} data-chosen={selection?.chosen.has(rowKey(row))}>
                {selection && (
                  <td className={classes.box}>
                    <SelectRow selection={selection} row={row} rowKey={rowKey(row)} />
                  </td>
                )}
                {columns.map(({ labels, cell, leaves }) => (
                  <td key={labels[0].label} data-leaves={leaves}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Whether the row has another heading than the one before it. */
export function startsGroup<Row>(rows: readonly Row[], place: number, heading: (row: Row) => string): boolean {
  const [before, row] = [rows[place - 1], rows[place]];
  return row !== undefined && (before === undefined || heading(before) !== heading(row));
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
      <span>{label}</span>
      <Icon size={12} aria-hidden="true" />
    </button>
  );
}
