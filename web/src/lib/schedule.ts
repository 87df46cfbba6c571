/** The weekly schedule, as the specification of the console sections 3 and 5 gives it. */

export interface Frame {
  /** 1 to 21: its place plus one. */
  number: number;
  active: boolean;
  /** One of DAY_CHOICES. */
  dayOfTheWeek: number;
  /** 1 to 50. */
  intensity: number;
  startHour: number;
  startMinute: number;
  /** The last minute that runs: 23:59 is the end of the day. */
  stopHour: number;
  stopMinute: number;
}

export const FRAME_COUNT = 21;

/** Rows of the chart: Monday to Sunday. */
export const WEEK = [1, 2, 3, 4, 5, 6, 7] as const;

/** In the order of the choices: all days, Monday to Sunday, weekend days, weekdays. */
export const DAY_CHOICES = [0, ...WEEK, 8, 9] as const;

const SETS: Record<number, readonly number[]> = { 0: WEEK, 8: [6, 7], 9: [1, 2, 3, 4, 5] };

/** The days of the week, Monday = 1, that a dayOfTheWeek stands for. */
export function daysOf(dayOfTheWeek: number): readonly number[] {
  return SETS[dayOfTheWeek] ?? [dayOfTheWeek];
}

/** Both would run at some minute of the week; both ends belong to a frame. */
export function inConflict(a: Frame, b: Frame): boolean {
  if (!a.active || !b.active) return false;
  const days = daysOf(b.dayOfTheWeek);
  return daysOf(a.dayOfTheWeek).some((day) => days.includes(day)) && start(a) <= stop(b) && start(b) <= stop(a);
}

/** Such a frame is refused, also while it is inactive; one that starts and stops in the same minute is not. */
export function startsAfterStop(frame: Frame): boolean {
  return start(frame) > stop(frame);
}

/** The others that the frame of this number is in conflict with. */
export function conflictsOf(frames: readonly Frame[], number: number): Frame[] {
  const frame = frames.find((one) => one.number === number);
  return frame ? frames.filter((other) => other.number !== number && inConflict(frame, other)) : [];
}

/** The frame from one minute of its days to another, both of which run. */
export function withTimes(frame: Frame, from: number, to: number): Frame {
  return {
    ...frame,
    startHour: Math.floor(from / 60),
    startMinute: from % 60,
    stopHour: Math.floor(to / 60),
    stopMinute: to % 60,
  };
}

/**
 * The frame shortened to times at which none of the others runs: one that keeps its start, one that keeps its end, or, where
 * neither is free, the longest between. Empty when the others leave no minute.
 */
export function fitsOf(frame: Frame, others: readonly Frame[]): Frame[] {
  const gaps: Frame[] = [];
  let free = start(frame);
  for (const other of [...others].sort((a, b) => start(a) - start(b))) {
    if (start(other) > free) gaps.push(withTimes(frame, free, start(other) - 1));
    free = Math.max(free, stop(other) + 1);
  }
  if (free <= stop(frame)) gaps.push(withTimes(frame, free, stop(frame)));
  const atEnds = gaps.filter((gap) => start(gap) === start(frame) || stop(gap) === stop(frame));
  if (atEnds.length > 0) return atEnds;
  return gaps.sort((a, b) => stop(b) - start(b) - (stop(a) - start(a))).slice(0, 1);
}

/** A frame on one day, in parts of that day from 0 to 1. */
export interface Slot {
  frame: Frame;
  from: number;
  to: number;
}

export const DAY_MINUTES = 24 * 60;

/** The active frames of a day, Monday = 1, each to the end of its last minute. One that ends before it begins never runs. */
export function slotsOn(day: number, frames: readonly Frame[]): Slot[] {
  return frames
    .filter((frame) => frame.active && daysOf(frame.dayOfTheWeek).includes(day) && start(frame) <= stop(frame))
    .map((frame) => ({ frame, from: start(frame) / DAY_MINUTES, to: (stop(frame) + 1) / DAY_MINUTES }))
    .sort((a, b) => a.from - b.from);
}

/** The first minute of its days that runs. */
export function start({ startHour, startMinute }: Frame): number {
  return startHour * 60 + startMinute;
}

/** The last one. */
export function stop({ stopHour, stopMinute }: Frame): number {
  return stopHour * 60 + stopMinute;
}
