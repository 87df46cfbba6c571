import { Fragment, type ReactNode } from 'react';
import { t } from '@/i18n/en';
import { type RowDensity, startsGroup } from './DataTable';
import { OPENING_ROW, SELECTABLE_ROW } from './followRowLink';
import classes from './RowCards.module.css';
import type { RowSelection } from './row-selection';
import { SelectPage, SelectRow } from './SelectRow';

interface Props<Row> {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  card: (row: Row) => ReactNode;
  /** Set while rows are selectable; a tap on a card then selects it. */
  selection?: RowSelection<Row> | undefined;
  busy: boolean;
  density?: RowDensity;
  /** The heading above rows with the same one. */
  heading?: ((row: Row) => string) | undefined;
}

/** A list on a phone. The whole card is the row link's click area. */
export function RowCards<Row>({ rows, rowKey, card, selection, busy, density = 'comfortable', heading }: Props<Row>) {
  const cards = (
    <ul className={classes.cards} aria-busy={busy} data-busy={busy} data-density={density}>
      {rows.map((row, place) => (
        <Fragment key={rowKey(row)}>
          {heading && startsGroup(rows, place, heading) && <li className={classes.group}>{heading(row)}</li>}
          <li
            className={classes.card}
            {...(selection ? SELECTABLE_ROW : OPENING_ROW)}
            data-chosen={selection?.chosen.has(rowKey(row))}
          >
            {selection && <SelectRow selection={selection} row={row} rowKey={rowKey(row)} />}
            {card(row)}
          </li>
        </Fragment>
      ))}
    </ul>
  );
  if (!selection) return cards;
  return (
    <>
      <div className={classes.page}>
        <SelectPage selection={selection} keys={rows.map(rowKey)} />
        <span aria-hidden="true">{t.list.selectPage}</span>
      </div>
      {cards}
    </>
  );
}

interface CardProps {
  link: ReactNode;
  /** A description, below the link. */
  text: ReactNode;
  /** The status, on the right. */
  state: ReactNode;
}

export function RowCard({ link, text, state }: CardProps) {
  return (
    <>
      <div className={classes.what}>
        {link}
        <div className={classes.text}>{text}</div>
      </div>
      <div className={classes.state}>{state}</div>
    </>
  );
}
