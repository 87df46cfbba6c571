import { DAY_MINUTES, daysOf, type Frame, start, stop, WEEK, withTimes } from './schedule';
import { isUnused } from './schedule-text';

/**
 * Entries of the schedule editor: times on any days of the week. A device has frames on one day, on weekend days, on weekdays
 * or on all days, which end at the latest with the last minute of the day. An entry takes as many of them as it needs.
 */

/** The day sets of frames, the largest first. */
const SETS = [0, 9, 8, ...WEEK];
const LAST_MINUTE = DAY_MINUTES - 1;

/** The fewest day sets of frames that select exactly these days, none of them twice. */
export function daySetsOf(days: readonly number[]): number[] {
  const left = new Set(days);
  const sets = SETS.filter((set) => {
    const isWhole = daysOf(set).every((day) => left.has(day));
    if (isWhole) for (const day of daysOf(set)) left.delete(day);
    return isWhole;
  });
  return sets.sort((a, b) => Math.min(...daysOf(a)) - Math.min(...daysOf(b)));
}

/** The days that follow these days. */
function followingDays(days: readonly number[]): number[] {
  return days.map((day) => (day % 7) + 1);
}

export interface Span {
  days: readonly number[];
  from: number;
  to: number;
}

/** A span past midnight: until midnight, and on the days that follow from then, unless it ends there. */
export function splitAtMidnight({ days, from, to }: Span): Span[] {
  const evening = { days, from, to: LAST_MINUTE };
  return to === 0 ? [evening] : [evening, { days: followingDays(days), from: 0, to }];
}

/** How many frames the spans need. */
export function frameCount(spans: readonly Span[]): number {
  return spans.flatMap(({ days }) => daySetsOf(days)).length;
}

/** The spans as frames like this one. The first keeps its number, the others take unused ones; undefined if these are too few. */
export function framesFor(frame: Frame, spans: readonly Span[], unused: readonly Frame[]): Frame[] | undefined {
  const numbers = [frame, ...unused].map(({ number }) => number);
  if (frameCount(spans) > numbers.length) return undefined;
  return spans
    .flatMap(({ days, from, to }) =>
      daySetsOf(days).map((dayOfTheWeek) => withTimes({ ...frame, dayOfTheWeek }, from, to)),
    )
    .map((piece, place) => ({ ...piece, number: numbers[place] ?? piece.number }));
}

/** The unused frames, except those with the numbers of an entry. */
export function unusedFrames(frames: readonly Frame[], entry: readonly Frame[]): Frame[] {
  return frames.filter((frame) => isUnused(frame) && !entry.some(({ number }) => number === frame.number));
}

/**
 * The frames after one of them is replaced. Where a frame ends in the minute in which another one starts, both would run
 * in it; the earlier one then ends a minute earlier.
 */
export function placed(frames: readonly Frame[], frame: Frame): Frame[] {
  const others = frames.filter(({ number }) => number !== frame.number);
  const shortened = others.some((other) => touches(frame, other)) ? endingEarlier(frame) : frame;
  return frames.map((other) => {
    if (other.number === frame.number) return shortened;
    return touches(other, frame) ? endingEarlier(other) : other;
  });
}

/** Whether the first frame runs into nothing of the second one but its first minute. */
function touches(frame: Frame, next: Frame): boolean {
  return (
    frame.active &&
    next.active &&
    start(frame) < stop(frame) &&
    stop(frame) === start(next) &&
    daysOf(frame.dayOfTheWeek).some((day) => daysOf(next.dayOfTheWeek).includes(day))
  );
}

function endingEarlier(frame: Frame): Frame {
  return withTimes(frame, start(frame), stop(frame) - 1);
}

/**
 * The frames into which `others` are cut so that they leave the times of an entry free. Undefined if too few frames are unused,
 * or if one of the others would lose all its time.
 */
export function cutAround(
  entry: readonly Frame[],
  others: readonly Frame[],
  frames: readonly Frame[],
): Frame[] | undefined {
  const unused = unusedFrames(frames, entry);
  const cut: Frame[] = [];
  for (const other of others) {
    const whole = { days: daysOf(other.dayOfTheWeek), from: start(other), to: stop(other) };
    const spans = joined(entry.reduce<Span[]>((spans, one) => spans.flatMap((span) => without(span, one)), [whole]));
    const pieces = spans.length > 0 ? framesFor(other, spans, unused) : undefined;
    if (!pieces) return undefined;
    unused.splice(0, pieces.length - 1);
    cut.push(...pieces);
  }
  return cut;
}

/** What is left of a span where a frame runs. */
function without(span: Span, frame: Frame): Span[] {
  const taken = daysOf(frame.dayOfTheWeek);
  const shared = span.days.filter((day) => taken.includes(day));
  if (shared.length === 0 || span.to < start(frame) || stop(frame) < span.from) return [span];
  return [
    { ...span, days: shared, to: start(frame) - 1 },
    { ...span, days: shared, from: stop(frame) + 1 },
    { ...span, days: span.days.filter((day) => !taken.includes(day)) },
  ].filter(({ days, from, to }) => days.length > 0 && from <= to);
}

/** One span for all with the same times. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const same = all.findIndex(({ from, to }) => from === span.from && to === span.to);
    const days = [...(all[same]?.days ?? []), ...span.days];
    if (same < 0) all.push(span);
    else all[same] = { ...span, days };
  }
  return all;
}
