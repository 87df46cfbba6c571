import { levelOf } from '@/domain/level';
import classes from './LevelMeter.module.css';

interface Props {
  percent: number;
  /** Describes the level for screen readers. */
  label: string;
  /** Uses the full width, below the number. */
  large?: boolean;
  /** The level was reported too long ago to be current. */
  old?: boolean;
}

export function LevelMeter({ percent, label, large = false, old = false }: Props) {
  const shown = Math.min(Math.max(Math.round(percent), 0), 100);
  return (
    <span className={classes.meter} data-level={levelOf(percent)} data-large={large} data-old={old}>
      <svg className={classes.track} viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
        <rect className={classes.fill} width={shown} height="6" />
      </svg>
      <span aria-hidden="true">{`${Math.round(percent)}%`}</span>
    </span>
  );
}

/** A bottle that is filled according to the class of the level. */
export function LevelIcon({ percent }: { percent: number }) {
  const level = levelOf(percent);
  const height = (level / 100) * 15;
  return (
    <svg className={classes.icon} data-level={level} viewBox="0 0 24 28" width="28" height="32" aria-hidden="true">
      <rect className={classes.fill} x="6" y={24 - height} width="12" height={height} rx="1.5" />
      <path
        className={classes.bottle}
        d="M10 2h4v4l3.4 2.2A3 3 0 0 1 19 10.800V23a3 3 0 0 1-3 3H8a3 3 0 0 1-3-3V10.800a3 3 0 0 1 1.600-2.600L10 6z"
      />
    </svg>
  );
}
