import { expect, test } from 'vitest';
import { byDay, fittingDays, lastDays, pointsOf, valueAt } from './history';

/** In the browser's time zone. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
const step = (day: number, hour: number, value: number) => ({ at: at(day, hour), value });
const day = (day: number) => new Date(2026, 10, day);
const REFILL = { at: at(19, 18), kind: 'refill', text: 'Refill' } as const;

test('a day has its last level, its range of intensities and its share of time online', () => {
  const days = byDay(
    {
      from: at(18, 12),
      to: at(21, 12),
      level: [step(18, 12, 40), step(19, 6, 39), step(19, 18, 100), step(21, 6, 99)],
      intensity: [step(18, 18, 20), step(19, 10, 50), step(19, 11, 10)],
      online: [step(18, 12, 1), step(19, 6, 0), step(19, 12, 1), step(21, 6, 0)],
      marks: [REFILL],
    },
    undefined,
  );
  expect(days).toEqual([
    { start: day(21), level: 99, intensity: { least: 10, most: 10 }, online: 0.5, marks: [] },
    { start: day(20), level: 100, intensity: { least: 10, most: 10 }, online: 1, marks: [] },
    { start: day(19), level: 100, intensity: { least: 10, most: 50 }, online: 0.75, marks: [REFILL] },
    { start: day(18), level: 40, intensity: { least: 20, most: 20 }, online: 1, marks: [] },
  ]);
});

test('the days are those of the zone, also when clocks change', () => {
  const history = {
    from: '2026-10-31T12:00:00Z',
    to: '2026-11-02T12:00:00Z',
    level: [{ at: '2026-10-31T12:00:00Z', value: 40 }],
    intensity: [],
    online: null,
    marks: [{ ...REFILL, at: '2026-11-02T04:59:00Z' }],
  };
  const days = byDay(history, 'America/New_York').map(({ start, marks }) => [start.toISOString(), marks.length]);
  // New York leaves daylight saving time on November 1.
  expect(days).toEqual([
    ['2026-11-02T05:00:00.000Z', 0],
    ['2026-11-01T04:00:00.000Z', 1],
    ['2026-10-31T04:00:00.000Z', 0],
  ]);
});

test('unknown times have no values', () => {
  const days = byDay(
    {
      from: at(20, 0),
      to: at(22, 0),
      level: [step(21, 0, 7)],
      intensity: [],
      online: null,
      marks: [],
    },
    undefined,
  );
  expect(days).toEqual([
    { start: day(21), level: 7, intensity: null, online: null, marks: [] },
    { start: day(20), level: null, intensity: null, online: null, marks: [] },
  ]);
});

test('a line extends to the end of the interval', () => {
  const seconds = (day: number) => Date.parse(at(day, 0)) / 1000;
  expect(pointsOf([step(20, 0, 5), step(21, 0, 6)], at(23, 0))).toEqual({
    times: [seconds(20), seconds(21), seconds(23)],
    values: [5, 6, 6],
  });
  expect(pointsOf([], at(23, 0))).toEqual({ times: [], values: [] });
});

test.each([
  [18, 11, undefined],
  [18, 12, 40],
  [19, 5, 40],
  [19, 6, 39],
  [30, 0, 39],
])('on day %i at %i the value is %s', (day, hour, value) => {
  expect(valueAt([step(18, 12, 40), step(19, 6, 39)], Date.parse(at(day, hour)))).toBe(value);
});

const ALL = { from: at(1, 0), to: at(61, 0), level: [], intensity: [], online: null, marks: [] };

test.each([
  ['reaches back to the begin', [step(1, 0, 5)], [1, 7, 30, 60]],
  ['goes back 31 days', [step(30, 0, 5)], [1, 7, 30, 60]],
  ['goes back 30 days', [step(31, 0, 5)], [1, 7, 30]],
  ['goes back 7 days', [step(54, 0, 5)], [1, 7]],
  ['goes back a day', [step(60, 0, 5)], [1]],
  ['is not there', [], [1]],
])('when the data %s, these ranges fit: %s', (_, level, days) => {
  expect(fittingDays({ ...ALL, level })).toEqual(days);
});

test('the last days of a history, and their marks, begin no earlier than the history', () => {
  const marks = [REFILL, { ...REFILL, at: at(55, 0) }];
  expect(lastDays({ ...ALL, marks }, 7).marks).toEqual(marks.slice(1));
  expect(lastDays(ALL, 7).from).toBe(at(54, 0));
  expect(lastDays(ALL, 60).from).toBe(at(1, 0));
  expect(lastDays({ ...ALL, from: at(60, 0) }, 7).from).toBe(at(60, 0));
});
