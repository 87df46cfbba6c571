import type { CSSProperties } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { intensityClass } from '@/lib/level';
import { type Slot, slotsOn, WEEK } from '@/lib/schedule';
import { hourOfDay } from '@/lib/time';
import { frameTimes } from './frame-times';
import classes from './WeekChart.module.css';

const LABELLED_HOURS = [0, 3, 6, 9, 12, 15, 18, 21];

interface Props {
  frames: readonly ScheduleFrame[];
  /** The number of the frame that runs. */
  running: number | null;
  /** Where the device is, Monday = 1; when it is unknown a frame that runs is marked on all its days. */
  today: number | undefined;
}

/** 7 days by 24 hours: days are rows, on a phone columns. Whoever cannot see it has the list of the same frames. */
export function WeekChart({ frames, running, today }: Props) {
  return (
    <div className={classes.chart} role="img" aria-label={t.schedule.chart}>
      <div className={classes.hours}>
        {LABELLED_HOURS.map((hour) => (
          <span key={hour} style={place({ from: hour / 24 })}>
            {hourOfDay(hour)}
          </span>
        ))}
      </div>
      {WEEK.map((day) => (
        <div key={day} className={classes.day} data-today={day === today} data-day={day}>
          <span className={classes.name}>{t.schedule.shortDays[day]}</span>
          <div className={classes.track}>
            {slotsOn(day, frames).map((slot) => (
              <SlotBar
                key={slot.frame.number}
                slot={slot}
                running={slot.frame.number === running && (today === undefined || day === today)}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function SlotBar({ slot, running }: { slot: Slot; running: boolean }) {
  const { number, intensity } = slot.frame;
  return (
    <div
      className={classes.slot}
      style={place(slot)}
      data-intensity={intensityClass(intensity)}
      data-running={running}
      title={t.schedule.slotTitle(number, intensity, frameTimes(slot.frame))}
    >
      <b>{number}</b> <span>{intensity}</span>
    </div>
  );
}

/** Along the day, whichever way it runs: the style sheet knows. */
function place({ from, to }: { from: number; to?: number }): CSSProperties {
  return { '--from': from, '--to': to } as CSSProperties;
}
