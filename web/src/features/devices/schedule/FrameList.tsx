import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './FrameList.module.css';
import { frameTimes } from './frame-times';

interface Props {
  frames: readonly ScheduleFrame[];
  /** The number of the running frame. */
  running: number | null;
}

export function FrameList({ frames, running }: Props) {
  return (
    <ul className={classes.list} aria-label={t.schedule.active}>
      {frames.map((frame) => (
        <li key={frame.number} className={classes.frame} data-running={frame.number === running}>
          <b>{t.schedule.schedule(frame.number)}</b>
          <span>{t.schedule.intensity(frame.intensity)}</span>
          <span className={classes.times}>{frameTimes(frame)}</span>
          {frame.number === running && <span className={classes.mark}>{t.schedule.runsNow}</span>}
        </li>
      ))}
    </ul>
  );
}
