import { expect, test } from 'vitest';
import { ago, isStale, weekdayIn } from './time';

const NOW = new Date('2026-11-20T12:00:00Z');

test.each([
  ['2026-11-20T12:00:30Z', 'just now'],
  ['2026-11-20T11:59:01Z', 'just now'],
  ['2026-11-20T11:57:00Z', '3 min. ago'],
  ['2026-11-20T09:30:00Z', '2 hr. ago'],
  ['2026-11-18T12:00:00Z', '2 days ago'],
])('%s is %s', (at, text) => {
  expect(ago(new Date(at), NOW)).toBe(text);
});

test('what is older than two minutes is stale', () => {
  expect(isStale(new Date('2026-11-20T11:58:00Z'), NOW)).toBe(false);
  expect(isStale(new Date('2026-11-20T11:57:59Z'), NOW)).toBe(true);
});

test.each([
  ['2026-11-20T12:00:00Z', 'UTC', 5],
  ['2026-11-22T23:30:00Z', 'UTC', 7],
  ['2026-11-22T23:30:00Z', 'Asia/Tokyo', 1],
  ['2026-11-23T03:00:00Z', 'America/Chicago', 7],
  ['2026-11-23T03:00:00Z', 'Mars/Olympus', undefined],
  ['2026-11-23T03:00:00Z', null, undefined],
])('%s in %s is day %s of the week', (at, zone, day) => {
  expect(weekdayIn(zone, new Date(at))).toBe(day);
});
