import type { ReactNode } from 'react';
import { followRowLink } from './followRowLink';
import classes from './RowCards.module.css';

interface Props<Row> {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  card: (row: Row) => ReactNode;
  busy: boolean;
}

/** A list on a phone. The row link answers on all of its card. */
export function RowCards<Row>({ rows, rowKey, card, busy }: Props<Row>) {
  return (
    <ul className={classes.cards} aria-busy={busy} data-busy={busy}>
      {rows.map((row) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard has the link in the card
        <li key={rowKey(row)} className={classes.card} onClick={followRowLink}>
          {card(row)}
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  link: ReactNode;
  /** What it is, below the link. */
  text: ReactNode;
  /** How it is, at the right. */
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
