import { t } from '@/i18n/en';
import classes from './TimeCursor.module.css';

/** So many steps of the keyboard lead from one end to the other. */
const STEPS = 200;

interface Props {
  /** Seconds since 1970. */
  span: readonly [from: number, to: number];
  /** Seconds since 1970; undefined is now. */
  cursor: number | undefined;
  onCursor: (cursor: number | undefined) => void;
  /** What is known of a time, in words. */
  valueText: (cursor: number) => string;
}

/** Moves the cursor of all charts, by keyboard as well as by mouse and finger. Its end is now, and so is Escape. */
export function TimeCursor({ span: [from, to], cursor, onCursor, valueText }: Props) {
  const step = (to - from) / STEPS;
  return (
    <div className={classes.track}>
      <input
        type="range"
        className={classes.range}
        aria-label={t.history.cursor}
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
