import { conflictsOf, DAY_MINUTES, type Frame, start, stop, withTimes } from './schedule';

/** The dragged part of a frame: one of its ends, or the whole frame. */
export type Grip = 'start' | 'stop' | 'move';

const LAST_MINUTE = DAY_MINUTES - 1;
const STEPS = [5, 15, 30];
const MIN_STEP_PIXELS = 3;

/** The snapping step in minutes for a day of this length in pixels. */
export function stepFor(dayPixels: number): number {
  return STEPS.find((step) => (dayPixels * step) / DAY_MINUTES >= MIN_STEP_PIXELS) ?? 60;
}

/**
 * The frame after a drag by this many minutes. Changed times are multiples of `step`, within the day and at least a step
 * apart, unless they were closer before. A frame that would share only its first or last minute with another one is moved
 * off it by a minute; a larger overlap is returned as it is.
 */
export function dragged(frame: Frame, grip: Grip, minutes: number, step: number, frames: readonly Frame[]): Frame {
  if (Math.abs(minutes) < step / 2) return frame;
  const target = TARGETS[grip](frame, minutes, step);
  const fits = (one: Frame) =>
    conflictsOf(
      frames.map((other) => (other.number === one.number ? one : other)),
      one.number,
    ).length === 0;
  return [target, ...NEIGHBOURS[grip](target)].find(fits) ?? target;
}

const TARGETS: Record<Grip, (frame: Frame, minutes: number, step: number) => Frame> = {
  start: (frame, minutes, step) => {
    const latest = Math.max(floor(stop(frame) + 1 - step, step), start(frame));
    return withTimes(frame, clamp(round(start(frame) + minutes, step), 0, latest), stop(frame));
  },
  stop: (frame, minutes, step) => {
    const earliest = Math.min(-floor(-(start(frame) + step - 1), step), stop(frame));
    return withTimes(frame, start(frame), clamp(round(stop(frame) + minutes, step), earliest, LAST_MINUTE));
  },
  move: (frame, minutes, step) => {
    const length = stop(frame) - start(frame);
    const from = clamp(round(start(frame) + minutes, step), 0, LAST_MINUTE - length);
    return withTimes(frame, from, from + length);
  },
};

/** Moves the frame one minute away from a neighbour that it touches. */
const NEIGHBOURS: Record<Grip, (frame: Frame) => Frame[]> = {
  start: (frame) => (start(frame) < stop(frame) ? [withTimes(frame, start(frame) + 1, stop(frame))] : []),
  stop: (frame) => (start(frame) < stop(frame) ? [withTimes(frame, start(frame), stop(frame) - 1)] : []),
  move: (frame) =>
    [1, -1]
      .map((by) => [start(frame) + by, stop(frame) + by] as const)
      .filter(([from, to]) => from >= 0 && to <= LAST_MINUTE)
      .map(([from, to]) => withTimes(frame, from, to)),
};

function round(minute: number, step: number): number {
  return Math.round(minute / step) * step;
}

function floor(minute: number, step: number): number {
  return Math.floor(minute / step) * step;
}

function clamp(minute: number, least: number, most: number): number {
  return Math.min(Math.max(minute, least), most);
}
