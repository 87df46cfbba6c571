import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { conflictsOf, startsAfterStop } from '@/lib/schedule';
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

/** Why the times of a frame would be refused, if they would: devices have schedules that nobody checked. */
export function timeFault(frames: readonly ScheduleFrame[], frame: ScheduleFrame): string | undefined {
  if (startsAfterStop(frame)) return t.scheduleForm.backwards;
  return conflictsOf(frames, frame.number).length > 0 ? t.scheduleForm.conflicts : undefined;
}
