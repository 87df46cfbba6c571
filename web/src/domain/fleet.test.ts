import { expect, test } from 'vitest';
import { dayStart, daysOf, hoursOf, rangeOf, stacked, weeksOf } from './fleet';

const hours = (values: Record<number, number>) => Array.from({ length: 24 }, (_, hour) => values[hour] ?? null);

test('hours of days follow each other until the last known one', () => {
  const { times, series } = hoursOf([
    { day: '2026-11-19', online: hours({ 0: 5, 23: 7 }) },
    { day: '2026-11-20', online: hours({ 1: 6 }) },
  ]);
  expect(series[0]).toHaveLength(26);
  expect([series[0]?.[0], series[0]?.[1], series[0]?.[23], series[0]?.[24], series[0]?.[25]]).toEqual([
    5,
    null,
    7,
    null,
    6,
  ]);
  expect([times.length, times[0], times.at(-1)]).toEqual([
    27,
    dayStart('2026-11-19'),
    dayStart('2026-11-20') + 2 * 3_600,
  ]);
  expect(hoursOf([])).toEqual({ times: [0], series: [[]] });
});

test('days end with the last one of which something is known', () => {
  const days = [
    { day: '2026-11-19', a: 1, b: null },
    { day: '2026-11-20', a: null, b: 2 },
    { day: '2026-11-21', a: null, b: null },
  ];
  const { times, series } = daysOf(days, [({ a }) => a, ({ b }) => b]);
  expect(times).toEqual(['2026-11-19', '2026-11-20', '2026-11-21'].map(dayStart));
  expect(series).toEqual([
    [1, null],
    [null, 2],
  ]);
});

test('weeks begin on Monday, and those of which nothing is known have no number', () => {
  const days = [
    { day: '2026-11-15', refills: null },
    { day: '2026-11-16', refills: 2 },
    { day: '2026-11-17', refills: null },
    { day: '2026-11-22', refills: 1 },
    { day: '2026-11-23', refills: 0 },
  ];
  expect(weeksOf(days)).toEqual([
    { start: dayStart('2026-11-09'), refills: null },
    { start: dayStart('2026-11-16'), refills: 3 },
    { start: dayStart('2026-11-23'), refills: 0 },
  ]);
});

test('unknown numbers do not count', () => {
  expect(rangeOf([null, 2, 4, null, 9])).toEqual({ least: 2, mean: 5, most: 9 });
  expect(rangeOf([null])).toBeNull();
});

test('a stack is unknown where one of its parts is', () => {
  expect(
    stacked([
      [1, 2, null],
      [3, null, 4],
      [5, 6, 7],
    ]),
  ).toEqual([
    [1, 2, null],
    [4, null, null],
    [9, null, null],
  ]);
});
