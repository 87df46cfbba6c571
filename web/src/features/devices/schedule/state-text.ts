import type { ScheduleFrame } from '@/api/schema.gen';
import { timeOfDay } from '@/browser/time';
import type { WeekTime } from '@/domain/schedule';
import { coversTime, nextStart } from '@/domain/schedule-now';
import { t } from '@/i18n/en';
import { stopText } from './frame-times';

/**
 * The end of the running schedule, or the start of the next one; `running` is the number of the device's running frame.
 * Undefined if it disagrees with the clock, because the device is about to report or has not reported for long.
 */
export function stateText(
  frames: readonly ScheduleFrame[],
  running: number | null,
  now: WeekTime | undefined,
): string | undefined {
  if (!now || frames.length === 0) return undefined;
  const frame = frames.find((one) => coversTime(one, now));
  if (frame) return frame.number === running ? t.schedule.inside(frame.number, stopText(frame)) : undefined;
  if (running !== null) return undefined;
  const next = nextStart(frames, now);
  if (!next) return t.schedule.outside;
  const day = next.isToday ? t.schedule.today : (t.schedule.days[next.day] ?? '');
  return t.schedule.outsideUntil(day, timeOfDay(Math.floor(next.minute / 60), next.minute % 60));
}
