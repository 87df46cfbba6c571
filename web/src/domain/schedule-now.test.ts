import { expect, test } from 'vitest';
import { type Frame, withTimes } from './schedule';
import { coversTime, nextStart } from './schedule-now';
import { missingFrame } from './schedule-text';

const frame = (number: number, dayOfTheWeek: number, from: number, to: number): Frame =>
  withTimes({ ...missingFrame(number), active: true, dayOfTheWeek }, from, to);

const MORNING = frame(1, 9, 510, 700);
const EVENING = frame(2, 9, 1080, 1439);
const SUNDAY = frame(3, 7, 600, 720);

test.each([
  ['its first minute', { day: 1, minute: 510 }, true],
  ['its last minute', { day: 5, minute: 700 }, true],
  ['the minute before', { day: 1, minute: 509 }, false],
  ['the minute after', { day: 1, minute: 701 }, false],
  ['another day', { day: 6, minute: 600 }, false],
])('whether a frame covers %s', (_, now, covers) => {
  expect(coversTime(MORNING, now)).toBe(covers);
  expect(coversTime({ ...MORNING, active: false }, now)).toBe(false);
});

test.each([
  ['before the first of a day', { day: 1, minute: 0 }, { day: 1, minute: 510, isToday: true }],
  ['between two', { day: 1, minute: 800 }, { day: 1, minute: 1080, isToday: true }],
  ['in the minute in which one starts', { day: 1, minute: 510 }, { day: 1, minute: 1080, isToday: true }],
  ['after the last of a day', { day: 1, minute: 1081 }, { day: 2, minute: 510, isToday: false }],
  ['at the end of the week', { day: 7, minute: 800 }, { day: 1, minute: 510, isToday: false }],
  ['on a day without any', { day: 6, minute: 0 }, { day: 7, minute: 600, isToday: false }],
])('%s the next start is found', (_, now, start) => {
  const ignored = [
    { ...frame(4, 0, 1, 2), active: false },
    { ...frame(5, 0, 3, 2), active: true },
  ];
  expect(nextStart([...ignored, EVENING, MORNING, SUNDAY], now)).toEqual(start);
});

test('a frame of one day starts again in a week, and no frame never', () => {
  expect(nextStart([SUNDAY], { day: 7, minute: 600 })).toEqual({ day: 7, minute: 600, isToday: false });
  expect(nextStart([], { day: 7, minute: 600 })).toBeUndefined();
});
