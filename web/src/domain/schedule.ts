/** The weekly schedule of a device. */

export interface Frame {
  /** 1 to 21: the position plus one. */
  number: number;
  active: boolean;
  /** One of DAY_CHOICES. */
  dayOfTheWeek: number;
  /** 1 to 50. */
  intensity: number;
  startHour: number;
  startMinute: number;
  /** The last running minute: 23:59 is the end of the day. */
  stopHour: number;
  stopMinute: number;
}

/** A minute of the week in local time. */
export interface WeekTime {
  /** Monday = 1. */
  day: number;
  /** Since midnight. */
  minute: number;
}

export const FRAME_COUNT = 21;

/** Rows of the chart: Monday to Sunday. */
export const WEEK = [1, 2, 3, 4, 5, 6, 7] as const;

/** In the order of the choices: all days, Monday to Sunday, weekend days, weekdays. */
export const DAY_CHOICES = [0, ...WEEK, 8, 9] as const;

const SETS: Record<number, readonly number[]> = { 0: WEEK, 8: [6, 7], 9: [1, 2, 3, 4, 5] };

/** The days of the week, Monday = 1, that a dayOfTheWeek selects. */
export function daysOf(dayOfTheWeek: number): readonly number[] {
  return SETS[dayOfTheWeek] ?? [dayOfTheWeek];
}

/** Whether two frames run in the same minute of the week; start and stop belong to a frame. */
export function inConflict(a: Frame, b: Frame): boolean {
  if (!a.active || !b.active) return false;
  const days = daysOf(b.dayOfTheWeek);
  return daysOf(a.dayOfTheWeek).some((day) => days.includes(day)) && start(a) <= stop(b) && start(b) <= stop(a);
}

/** Whether a frame ends before it starts. It is refused even while inactive; start and stop may be equal. */
export function startsAfterStop(frame: Frame): boolean {
  return start(frame) > stop(frame);
}

/** The frames that overlap the frame with this number. */
export function conflictsOf(frames: readonly Frame[], number: number): Frame[] {
  const frame = frames.find((one) => one.number === number);
  return frame ? frames.filter((other) => other.number !== number && inConflict(frame, other)) : [];
}

/** The frame with other start and stop minutes. */
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
 * The frame shortened so that it overlaps no other: with its start, with its end, or, if neither is free, the longest gap
 * between them. Empty if the others leave no minute.
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

/** A frame on one day, as fractions of the day. */
export interface Slot {
  frame: Frame;
  from: number;
  to: number;
}

export const DAY_MINUTES = 24 * 60;

/** The active frames of a day, Monday = 1, until the end of their last minute. Frames that end before they start never run. */
export function slotsOn(day: number, frames: readonly Frame[]): Slot[] {
  return frames
    .filter((frame) => frame.active && daysOf(frame.dayOfTheWeek).includes(day) && start(frame) <= stop(frame))
    .map((frame) => ({ frame, from: start(frame) / DAY_MINUTES, to: (stop(frame) + 1) / DAY_MINUTES }))
    .sort((a, b) => a.from - b.from);
}

/** The first running minute of the day. */
export function start({ startHour, startMinute }: Frame): number {
  return startHour * 60 + startMinute;
}

/** The last running minute of the day. */
export function stop({ stopHour, stopMinute }: Frame): number {
  return stopHour * 60 + stopMinute;
}
