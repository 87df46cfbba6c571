import { daysOf, type Frame, start, startsAfterStop, stop, WEEK, type WeekTime } from './schedule';

/** Whether an active frame covers this minute of the week. */
export function coversTime(frame: Frame, { day, minute }: WeekTime): boolean {
  return frame.active && daysOf(frame.dayOfTheWeek).includes(day) && start(frame) <= minute && minute <= stop(frame);
}

interface NextStart extends WeekTime {
  /** Before the next midnight. */
  isToday: boolean;
}

/** The next start of a frame after this minute; undefined if there is none. */
export function nextStart(frames: readonly Frame[], now: WeekTime): NextStart | undefined {
  const running = frames.filter((frame) => frame.active && !startsAfterStop(frame));
  // A week from now includes the starts of this day that have passed.
  for (let ahead = 0; ahead <= WEEK.length; ahead += 1) {
    const day = ((now.day - 1 + ahead) % WEEK.length) + 1;
    const starts = running
      .filter((frame) => daysOf(frame.dayOfTheWeek).includes(day))
      .map(start)
      .filter((minute) => ahead > 0 || minute > now.minute);
    if (starts.length > 0) return { day, minute: Math.min(...starts), isToday: ahead === 0 };
  }
  return undefined;
}
