import { expect, test } from 'vitest';
import { byDay, pointsOf } from './history';

/** In the reader's own time zone. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
const step = (day: number, hour: number, value: number) => ({ at: at(day, hour), value });
const day = (day: number) => new Date(2026, 10, day);

test('a day has its last level, its range of intensities and its share of time online', () => {
  const days = byDay({
    from: at(18, 12),
    to: at(21, 12),
    level: [step(18, 12, 40), step(19, 6, 39), step(19, 18, 100), step(21, 6, 99)],
    intensity: [step(18, 18, 20), step(19, 10, 50), step(19, 11, 10)],
    online: [step(18, 12, 1), step(19, 6, 0), step(19, 12, 1), step(21, 6, 0)],
  });
  expect(days).toEqual([
    { start: day(21), level: 99, intensity: { least: 10, most: 10 }, online: 0.5 },
    { start: day(20), level: 100, intensity: { least: 10, most: 10 }, online: 1 },
    { start: day(19), level: 100, intensity: { least: 10, most: 50 }, online: 0.75 },
    { start: day(18), level: 40, intensity: { least: 20, most: 20 }, online: 1 },
  ]);
});

test('what is not known is not made up', () => {
  const days = byDay({ from: at(20, 0), to: at(22, 0), level: [step(21, 0, 7)], intensity: [], online: null });
  expect(days).toEqual([
    { start: day(21), level: 7, intensity: null, online: null },
    { start: day(20), level: null, intensity: null, online: null },
  ]);
});

test('a line goes on to the end of the span', () => {
  const seconds = (day: number) => Date.parse(at(day, 0)) / 1000;
  expect(pointsOf([step(20, 0, 5), step(21, 0, 6)], at(23, 0))).toEqual({
    times: [seconds(20), seconds(21), seconds(23)],
    values: [5, 6, 6],
  });
  expect(pointsOf([], at(23, 0))).toEqual({ times: [], values: [] });
});
