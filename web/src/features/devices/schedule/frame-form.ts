import type { ScheduleFrame } from '@/api/schema.gen';
import { timeOfDay } from '@/browser/time';
import { readTime, type TimeEntry, tidyTime, timeEntry } from '@/browser/time-entry';
import { conflictsOf, daysOf, fitsOf, startsAfterStop, withTimes } from '@/domain/schedule';
import { frameCount, framesFor, type Span, splitAtMidnight } from '@/domain/schedule-entry';
import { isUnused } from '@/domain/schedule-text';
import { t } from '@/i18n/en';

/** The values of the dialog. */
export interface FrameForm {
  active: boolean;
  days: readonly number[];
  intensity: number;
  start: TimeEntry;
  stop: TimeEntry;
}

export interface FrameErrors {
  days?: string;
  start?: string;
  stop?: string;
}

/** What can be done about times past midnight. */
export interface Midnight {
  label: string;
  frames: ScheduleFrame[];
}

export function frameForm({ active, dayOfTheWeek, intensity, ...times }: ScheduleFrame): FrameForm {
  return {
    active,
    days: daysOf(dayOfTheWeek),
    intensity,
    start: timeEntry({ hour: times.startHour, minute: times.startMinute }),
    stop: timeEntry({ hour: times.stopHour, minute: times.stopMinute }),
  };
}

/** The form with its times in the standard form. */
export function tidyForm(form: FrameForm): FrameForm {
  return { ...form, start: tidyTime(form.start), stop: tidyTime(form.stop) };
}

type ReadForm = { frames: ScheduleFrame[] } | { errors: FrameErrors; midnight?: Midnight | undefined };

/** The entered frames, of which the first keeps the number of `frame` and others take `unused` ones; or the errors. */
export function readForm(frame: ScheduleFrame, form: FrameForm, unused: readonly ScheduleFrame[]): ReadForm {
  const { active, days, intensity } = form;
  const [start, stop] = [readTime(form.start), readTime(form.stop)];
  const { invalidTime, backwards, noDay, tooManyDays } = t.scheduleForm;
  if (!start || !stop || days.length === 0) {
    const errors = {
      ...(days.length === 0 && { days: noDay }),
      ...(!start && { start: invalidTime }),
      ...(!stop && { stop: invalidTime }),
    };
    return { errors };
  }
  const entered = { ...frame, active, intensity };
  const span = { days, from: start.hour * 60 + start.minute, to: stop.hour * 60 + stop.minute };
  if (span.from > span.to)
    return { errors: { start: backwards, stop: backwards }, midnight: midnight(entered, span, unused) };
  const frames = framesFor(entered, [span], unused);
  return frames ? { frames } : { errors: { days: tooManyDays(frameCount([span]), unused.length + 1) } };
}

/** Undefined if too few frames are unused. */
function midnight(frame: ScheduleFrame, span: Span, unused: readonly ScheduleFrame[]): Midnight | undefined {
  const frames = framesFor(frame, splitAtMidnight(span), unused);
  const label = span.to === 0 ? t.scheduleForm.endAt(timeOfDay(23, 59)) : t.scheduleForm.splitAtMidnight;
  return frames && { label, frames };
}

/** The frames with the frame of the same number replaced. */
export function withFrame(frames: readonly ScheduleFrame[], frame: ScheduleFrame): ScheduleFrame[] {
  return frames.map((one) => (one.number === frame.number ? frame : one));
}

const WEEKDAYS = 9;
/** The times of a new frame that overlap no other: shop hours, or else any time. */
const NEW_TIMES = [
  [8 * 60, 18 * 60],
  [0, 24 * 60 - 1],
] as const;

/** The initial values of the next unused frame; undefined if all are used. */
export function newFrame(frames: readonly ScheduleFrame[], intensity: number): ScheduleFrame | undefined {
  const unused = frames.find(isUnused);
  if (!unused) return undefined;
  const frame = { ...unused, active: true, dayOfTheWeek: WEEKDAYS, intensity };
  const wanted = NEW_TIMES.map(([from, to]) => withTimes(frame, from, to));
  const free = wanted.flatMap((one) => fitsOf(one, conflictsOf(withFrame(frames, one), one.number)));
  return free[0] ?? wanted[0];
}

/** Why the times of a frame would be refused, if so: schedules of devices have not been validated. */
export function timeFault(frames: readonly ScheduleFrame[], frame: ScheduleFrame): string | undefined {
  if (startsAfterStop(frame)) return t.scheduleForm.backwards;
  return conflictsOf(frames, frame.number).length > 0 ? t.scheduleForm.conflicts : undefined;
}
