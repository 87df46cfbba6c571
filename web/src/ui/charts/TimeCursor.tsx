import { useId } from 'react';
import { t } from '@/i18n/en';
import classes from './TimeCursor.module.css';

/** Number of keyboard steps from one end to the other. */
const STEPS = 200;

interface Props {
  /** Seconds since 1970. */
  span: readonly [from: number, to: number];
  /** Seconds since 1970; undefined is now. */
  cursor: number | undefined;
  onCursor: (cursor: number | undefined) => void;
  /** Describes the values at a time. */
  valueText: (cursor: number) => string;
}

/** Moves the cursor of all charts by keyboard, mouse and touch. The right end and Escape select the current time. */
export function TimeCursor({ span: [from, to], cursor, onCursor, valueText }: Props) {
  const id = useId();
  const step = (to - from) / STEPS;
  return (
    <div className={classes.track}>
      <label className={classes.label} htmlFor={id}>
        {t.history.cursor}
      </label>
      <input
        id={id}
        type="range"
        className={classes.range}
        aria-valuetext={cursor === undefined ? t.history.cursorNow : valueText(cursor)}
        min={0}
        max={STEPS}
        value={cursor === undefined ? STEPS : Math.round((cursor - from) / step)}
        onChange={({ target }) => {
          const place = Number(target.value);
          onCursor(place === STEPS ? undefined : from + place * step);
        }}
        onKeyDown={({ key }) => key === 'Escape' && onCursor(undefined)}
      />
    </div>
  );
}
