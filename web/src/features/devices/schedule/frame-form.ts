import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { conflictsOf, fitsOf, startsAfterStop, withTimes } from '@/lib/schedule';
import { isUnused } from '@/lib/schedule-text';
import { readTime, type TimeEntry, timeEntry } from '@/lib/time-entry';

/** The values of the dialog. */
export interface FrameForm {
  active: boolean;
  dayOfTheWeek: number;
  intensity: number;
  start: TimeEntry;
  stop: TimeEntry;
}

export interface TimeErrors {
  start?: string;
  stop?: string;
}

export function frameForm({ active, dayOfTheWeek, intensity, ...times }: ScheduleFrame): FrameForm {
  return {
    active,
    dayOfTheWeek,
    intensity,
    start: timeEntry({ hour: times.startHour, minute: times.startMinute }),
    stop: timeEntry({ hour: times.stopHour, minute: times.stopMinute }),
  };
}

/** The entered frame, or the errors of its times. */
export function readFrame(
  number: number,
  { active, dayOfTheWeek, intensity, ...times }: FrameForm,
): { frame: ScheduleFrame } | { errors: TimeErrors } {
  const [start, stop] = [readTime(times.start), readTime(times.stop)];
  const { invalidTime, backwards } = t.scheduleForm;
  if (!start || !stop) {
    return { errors: { ...(!start && { start: invalidTime }), ...(!stop && { stop: invalidTime }) } };
  }
  const frame = {
    number,
    active,
    dayOfTheWeek,
    intensity,
    startHour: start.hour,
    startMinute: start.minute,
    stopHour: stop.hour,
    stopMinute: stop.minute,
  };
  return startsAfterStop(frame) ? { errors: { start: backwards, stop: backwards } } : { frame };
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
