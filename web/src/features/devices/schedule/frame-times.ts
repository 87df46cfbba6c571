import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { timeOfDay } from '@/lib/time';

/** When a frame runs: 'Weekdays, 8:00 AM – 5:30 PM'. */
export function frameTimes(frame: ScheduleFrame): string {
  const start = timeOfDay(frame.startHour, frame.startMinute);
  const stop = timeOfDay(frame.stopHour, frame.stopMinute);
  return t.schedule.times(t.schedule.days[frame.dayOfTheWeek] ?? '', start, stop);
}
