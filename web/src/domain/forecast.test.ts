import { expect, test } from 'vitest';
import { type Course, courseAt, courseChart } from './forecast';

/** In the browser's time zone. */
const at = (day: number) => new Date(2026, 10, day).toISOString();
const seconds = (day: number) => new Date(2026, 10, day).getTime() / 1000;

const course: Course = {
  levels: [
    { at: at(1), value: 12 },
    { at: at(5), value: 11 },
  ],
  level: 10,
  from: at(10),
  course: [
    { percent: 5, earliest: at(12), median: at(14), latest: at(18) },
    { percent: 0, earliest: at(14), median: at(18), latest: at(26) },
  ],
};

test('a chart has the past level, and the expected one with its interval', () => {
  expect(courseChart(course)).toEqual({
    times: [1, 5, 10, 12, 14, 18, 26].map(seconds),
    level: [12, 11, 11, null, null, null, null],
    median: [null, null, 10, 7.5, 5, 0, null],
    least: [null, null, 10, 5, 0, 0, 0],
    most: [null, null, 10, 8.75, 7.5, 5, 0],
  });
});

test('an interval without a known end stays open', () => {
  const open = course.course.map((point) => ({ ...point, latest: null }));
  const { times, most } = courseChart({ ...course, course: open });
  expect(times).toEqual([1, 5, 10, 12, 14, 18].map(seconds));
  expect(most).toEqual([null, null, 10, null, null, null]);
});

test('the level at a time is the one of the device, or the expected one with its interval', () => {
  const on = (day: number) => courseAt(course, new Date(2026, 10, day).getTime());
  expect(on(1)).toEqual({ level: 12 });
  expect(on(7)).toEqual({ level: 11 });
  expect(on(14)).toEqual({ level: 5, least: 0, most: 7.5 });
  expect(on(22)).toEqual({ level: 0, least: 0, most: 2.5 });
  expect(courseAt(course, 0)).toBeUndefined();
});
