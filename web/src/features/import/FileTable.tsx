import type { ReactNode } from 'react';
import classes from './FileTable.module.css';

interface Props<Row> {
  caption: string;
  columns: readonly { label: string; cell: (row: Row) => ReactNode; isNumber?: boolean }[];
  rows: readonly Row[];
  rowKey: (row: Row, place: number) => string | number;
  /** On a phone the last column is a separate line below the others. */
  stacked?: boolean;
}

/** A wide table that scrolls horizontally, also by keyboard. */
export function FileTable<Row>({ caption, columns, rows, rowKey, stacked = false }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <section className={classes.scroll} aria-label={caption} tabIndex={0}>
      <table className={classes.table} data-stacked={stacked}>
        <caption className={classes.caption}>{caption}</caption>
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
            <tr key={rowKey(row, place)}>
              {columns.map(({ label, cell, isNumber }) => (
                <td key={label} data-number={isNumber}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
