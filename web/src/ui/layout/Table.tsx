import type { ReactNode } from 'react';
import classes from './Table.module.css';

export interface TableColumn<Row> {
  label: string;
  cell: (row: Row) => ReactNode;
  /** Set for the column that names its row. */
  isRowHeader?: boolean;
  isNumber?: boolean;
  /** Set for longer texts: the table scrolls sideways instead of breaking each word. */
  isWide?: boolean;
}

interface Props<Row> {
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row, place: number) => string | number;
  /** Rows to show in a softer colour. */
  isSoft?: (row: Row) => boolean;
  /** Shown below the rows. */
  hint?: string;
  /** Without it, the caption is only the accessible name. */
  showCaption?: boolean;
  /** Limits the height and keeps the header in view. */
  isTall?: boolean;
  /** Aligns the outer columns with the content of the card around the table. */
  isInset?: boolean;
  /** On a phone the last column is a separate line below the others. */
  isStacked?: boolean;
  /** Set if the rows have no button that keyboard users can scroll to. */
  isFocusable?: boolean;
}

/** A table whose rows are all on the page. It scrolls horizontally where it is too wide. */
export function Table<Row>(props: Props<Row>) {
  const { caption, isTall, isFocusable } = props;
  const table = <TableElement {...props} />;
  if (!isFocusable) return <div className={classes.scroll}>{table}</div>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className={classes.scroll} data-tall={isTall} aria-label={caption} tabIndex={0}>
      {table}
    </section>
  );
}

function TableElement<Row>({
  caption,
  columns,
  rows,
  rowKey,
  isSoft,
  hint,
  showCaption = false,
  isTall = false,
  isInset = false,
  isStacked = false,
}: Props<Row>) {
  const shown = hint ?? (showCaption ? caption : undefined);
  return (
    <table
      className={classes.table}
      data-tall={isTall}
      data-inset={isInset}
      data-stacked={isStacked}
      {...(!showCaption && !hint && { 'aria-label': caption })}
    >
      {shown !== undefined && (
        <caption data-hint={hint !== undefined}>
          <span>{shown}</span>
        </caption>
      )}
      <thead>
        <tr>
          {columns.map(({ label, isNumber }) => (
            <th key={label} scope="col" data-number={isNumber}>
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={rowKey(row, place)} data-soft={isSoft?.(row)}>
            {columns.map(({ label, cell, isRowHeader, isNumber, isWide }) =>
              isRowHeader ? (
                <th key={label} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={label} data-number={isNumber} data-wide={isWide}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
