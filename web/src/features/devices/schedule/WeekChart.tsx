import type { ComponentProps, CSSProperties, ReactNode } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { hourOfDay } from '@/browser/time';
import { intensityClass } from '@/domain/level';
import { DAY_MINUTES, type Slot, slotsOn, WEEK, type WeekTime } from '@/domain/schedule';
import { t } from '@/i18n/en';
import { frameTimes } from './frame-times';
import classes from './WeekChart.module.css';

const LABELLED_HOURS = [0, 3, 6, 9, 12, 15, 18, 21];

interface Props {
  frames: readonly ScheduleFrame[];
  /** The number of the running frame. */
  running: number | null;
  /** The device's time zone; if unknown, a running frame is marked on all its days. */
  now: WeekTime | undefined;
  /** For an editable chart. */
  chart?: ComponentProps<'div'>;
  /** For the blocks of an editable chart. */
  slotProps?: (frame: ScheduleFrame, day: number) => SlotProps;
}

type SlotProps = Pick<ComponentProps<'div'>, 'className' | 'children'> & Record<`data-${string}`, string | boolean>;

/** 7 days by 24 hours: days are rows, or columns on a phone. Users who cannot see it have the list of the same frames. */
export function WeekChart({ frames, running, now, chart, slotProps }: Props) {
  return (
    <div {...chart} className={classes.chart} role="img" aria-label={t.schedule.chart}>
      <div className={classes.hours}>
        {LABELLED_HOURS.map((hour) => (
          <span key={hour} style={place({ from: hour / 24 })}>
            {hourOfDay(hour)}
          </span>
        ))}
      </div>
      {WEEK.map((day) => (
        <div key={day} className={classes.day} data-today={day === now?.day} data-day={day}>
          <span className={classes.name}>{t.schedule.shortDays[day]}</span>
          <div className={classes.track}>
            {slotsOn(day, frames).map((slot) => (
              <SlotBar
                key={slot.frame.number}
                slot={slot}
                running={slot.frame.number === running && (now === undefined || day === now.day)}
                {...slotProps?.(slot.frame, day)}
              />
            ))}
            {day === now?.day && (
              <div className={classes.now} style={place({ from: now.minute / DAY_MINUTES })} title={t.schedule.now} />
            )}
          </div>
        </div>
      ))}
    </div>
  );
}

interface SlotBarProps {
  slot: Slot;
  running: boolean;
  className?: string | undefined;
  children?: ReactNode;
}

function SlotBar({ slot, running, className = '', children, ...data }: SlotBarProps) {
  const { number, intensity } = slot.frame;
  return (
    <div
      {...data}
      className={`${classes.slot} ${className}`}
      style={place(slot)}
      data-intensity={intensityClass(intensity)}
      data-running={running}
      title={t.schedule.slotTitle(number, intensity, frameTimes(slot.frame))}
    >
      <span className={classes.label}>
        <b>{number}</b> <span>{intensity}</span>
      </span>
      {children}
    </div>
  );
}

/** The position along the day; the style sheet decides the direction. */
function place({ from, to }: { from: number; to?: number }): CSSProperties {
  return { '--from': from, '--to': to } as CSSProperties;
}
