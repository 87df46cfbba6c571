import { expect, test } from 'vitest';
import { dayEnd, dayStart, isDay } from './days';

test.each([
  ['2026-11-20', true],
  ['2028-02-29', true],
  ['2026-13-01', false],
  ['2026-11-32', false],
  ['20.11.2026', false],
  ['2026-11-20T12:00', false],
  ['', false],
  [undefined, false],
])('%s is a day: %s', (raw, expected) => {
  expect(isDay(raw)).toBe(expected);
});

test('a day lasts from midnight to midnight', () => {
  expect(dayStart('2026-12-31')).toEqual(new Date(2026, 11, 31));
  expect(dayEnd('2026-12-31')).toEqual(new Date(2027, 0, 1));
});
