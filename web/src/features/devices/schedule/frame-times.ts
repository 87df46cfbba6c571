import type { ScheduleFrame } from '@/api/schema.gen';
import { timeOfDay } from '@/browser/time';
import { isUnused } from '@/domain/schedule-text';
import { t } from '@/i18n/en';

/** The values of a frame: 'Enabled: Weekdays, 8:00 AM – 5:30 PM, intensity 20'. */
export function frameText(frame: ScheduleFrame): string {
  if (isUnused(frame)) return t.scheduleForm.unused;
  const status = frame.active ? t.scheduleForm.enabled : t.scheduleForm.disabled;
  return t.scheduleForm.frame(status, frameTimes(frame), frame.intensity);
}

/** The times of a frame: 'Weekdays, 8:00 AM – 5:30 PM'. */
export function frameTimes(frame: ScheduleFrame): string {
  return t.schedule.times(t.schedule.days[frame.dayOfTheWeek] ?? '', startText(frame), stopText(frame));
}

export function startText(frame: ScheduleFrame): string {
  return timeOfDay(frame.startHour, frame.startMinute);
}

/** The last minute of a frame. */
export function stopText(frame: ScheduleFrame): string {
  return timeOfDay(frame.stopHour, frame.stopMinute);
}
