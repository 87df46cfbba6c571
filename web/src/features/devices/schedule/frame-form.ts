import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { conflictsOf, fitsOf, startsAfterStop, withTimes } from '@/lib/schedule';
import { isUnused } from '@/lib/schedule-text';
import { readTime, type TimeEntry, timeEntry } from '@/lib/time-entry';

/** A frame as its dialog shows it. */
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

/** The frame that was entered, or what is wrong with its times. */
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

/** The frames with another one in place of that with its number. */
export function withFrame(frames: readonly ScheduleFrame[], frame: ScheduleFrame): ScheduleFrame[] {
  return frames.map((one) => (one.number === frame.number ? frame : one));
}

const WEEKDAYS = 9;
/** When a new frame runs, as far as nothing else does: in the hours of a shop, or else at any time. */
const NEW_TIMES = [
  [8 * 60, 18 * 60],
  [0, 24 * 60 - 1],
] as const;

/** What the next unused frame begins with; undefined when all are used. */
export function newFrame(frames: readonly ScheduleFrame[], intensity: number): ScheduleFrame | undefined {
  const unused = frames.find(isUnused);
  if (!unused) return undefined;
  const frame = { ...unused, active: true, dayOfTheWeek: WEEKDAYS, intensity };
  const wanted = NEW_TIMES.map(([from, to]) => withTimes(frame, from, to));
  const free = wanted.flatMap((one) => fitsOf(one, conflictsOf(withFrame(frames, one), one.number)));
  return free[0] ?? wanted[0];
}

/** Why the times of a frame would be refused, if they would: devices have schedules that nobody checked. */
export function timeFault(frames: readonly ScheduleFrame[], frame: ScheduleFrame): string | undefined {
  if (startsAfterStop(frame)) return t.scheduleForm.backwards;
  return conflictsOf(frames, frame.number).length > 0 ? t.scheduleForm.conflicts : undefined;
}
