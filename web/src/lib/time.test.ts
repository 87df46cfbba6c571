import { afterEach, expect, test } from 'vitest';
import { ago, DEFAULT_TIME_FORMAT, dateTime, isStale, setTimeFormat, shortTime, timeOfDay, weekdayIn } from './time';

afterEach(() => setTimeFormat(DEFAULT_TIME_FORMAT));

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

test.each([
  [0, 0, '12:00 AM', '00:00'],
  [9, 5, '9:05 AM', '09:05'],
  [12, 0, '12:00 PM', '12:00'],
  [23, 59, '11:59 PM', '23:59'],
])('%i:%i of a clock is what the reader has chosen', (hour, minute, twelve, twentyFour) => {
  expect(plain(timeOfDay(hour, minute))).toBe(twelve);
  setTimeFormat('24hour');
  expect(timeOfDay(hour, minute)).toBe(twentyFour);
});

test('a time of today and one with its date follow the choice too', () => {
  const at = new Date(2026, 10, 20, 0, 41);
  expect([plain(shortTime(at, at)), plain(dateTime(at))]).toEqual(['12:41 AM', 'Nov 20, 2026, 12:41 AM']);
  setTimeFormat('24hour');
  expect([shortTime(at, at), dateTime(at)]).toEqual(['00:41', 'Nov 20, 2026, 00:41']);
});

/** Before AM and PM stands a space that does not break. */
function plain(text: string): string {
  return text.replace(/\u202f/g, ' ');
}
