import { expect, test } from 'vitest';
import { type Frame, start, stop, withTimes } from './schedule';
import { dragged, type Grip, stepFor } from './schedule-drag';
import { missingFrame } from './schedule-text';

const STEP = 15;
const H = 60;

const frame = (number: number, from: number, to: number, dayOfTheWeek = 9): Frame =>
  withTimes({ ...missingFrame(number), active: true, dayOfTheWeek }, from, to);

const DAY = frame(1, 8 * H, 12 * H);
const EVENING = frame(2, 18 * H, 23 * H + 59);
const SUNDAY = frame(3, 13 * H, 14 * H, 7);

function times(one: Frame, grip: Grip, by: number): [number, number] {
  const after = dragged(one, grip, by, STEP, [one, EVENING, SUNDAY]);
  return [start(after), stop(after)];
}

test.each<[string, Grip, number, [number, number]]>([
  ['moves by steps and keeps its length', 'move', 63, [9 * H, 13 * H]],
  ['moves back', 'move', -2 * H, [6 * H, 10 * H]],
  ['stops at the start of the day', 'move', -20 * H, [0, 4 * H]],
  ['starts later', 'start', 22, [8 * H + 15, 12 * H]],
  ['starts earlier, not before the day', 'start', -20 * H, [0, 12 * H]],
  ['starts a step before its end at the latest', 'start', 9 * H, [11 * H + 45, 12 * H]],
  ['ends earlier', 'stop', -H, [8 * H, 11 * H]],
  ['ends a step after its start at the earliest', 'stop', -9 * H, [8 * H, 8 * H + 15]],
  ['leaves the minute to the frame that it would touch', 'stop', 6 * H, [8 * H, 17 * H + 59]],
  ['moves beside the frame that it would touch', 'move', 6 * H, [13 * H + 59, 17 * H + 59]],
  ['overlaps another when it is dragged into it', 'stop', 7 * H, [8 * H, 19 * H]],
  ['does nothing below half a step', 'move', 7, [8 * H, 12 * H]],
])('a frame %s', (_, grip, by, expected) => {
  expect(times(DAY, grip, by)).toEqual(expected);
});

test('the last minute of the day is its end', () => {
  const late = frame(1, 20 * H, 22 * H);
  expect(dragged(late, 'stop', 9 * H, STEP, [late])).toEqual(frame(1, 20 * H, 23 * H + 59));
  expect(dragged(late, 'move', 9 * H, STEP, [late])).toEqual(frame(1, 21 * H + 59, 23 * H + 59));
});

test('a dragged start leaves the shared minute to the previous frame', () => {
  const before = frame(2, 6 * H, 9 * H);
  const later = frame(1, 10 * H, 12 * H);
  expect(dragged(later, 'start', -H, STEP, [later, before])).toEqual(frame(1, 9 * H + 1, 12 * H));
});

test('dragging rounds the times of a frame to multiples of the step', () => {
  const odd = frame(1, 8 * H + 7, 9 * H + 3);
  expect(dragged(odd, 'move', H, STEP, [odd])).toEqual(frame(1, 9 * H, 9 * H + 56));
});

test('a frame shorter than a step is not shortened', () => {
  const short = frame(1, 8 * H, 8 * H + 4);
  expect(dragged(short, 'start', H, STEP, [short])).toEqual(short);
  expect(dragged(short, 'stop', -H, STEP, [short])).toEqual(short);
  expect(dragged(short, 'stop', H, STEP, [short])).toEqual(frame(1, 8 * H, 9 * H));
});

test.each([
  [1100, 5],
  [540, 15],
  [200, 30],
  [20, 60],
])('a day of %i pixels has steps of %i minutes', (pixels, step) => {
  expect(stepFor(pixels)).toBe(step);
});
