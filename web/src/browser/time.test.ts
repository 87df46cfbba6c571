import { afterEach, expect, test, vi } from 'vitest';
import { zoneOf } from '@/domain/time-zone';
import { dayText } from './days';
import {
  ago,
  clockTime,
  dateTime,
  dayOrTime,
  hourText,
  isComparisonLate,
  isForeign,
  isStale,
  localTimeFormat,
  monthDay,
  nearDay,
  setTimeFormat,
  shortTime,
  timeOfDay,
  weekTimeIn,
} from './time';

afterEach(() => {
  setTimeFormat('12hour');
  vi.restoreAllMocks();
});

test.each([
  ['en-US', '12hour'],
  ['en-GB', '24hour'],
  ['de-DE', '24hour'],
  ['fr-FR', '24hour'],
  ['hi-IN', '12hour'],
  ['en-US@posix', '12hour'],
])('clocks in %s are in the %s format', (language, format) => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue(language);
  expect(localTimeFormat()).toBe(format);
});

test.each([
  ['en-US', 'Nov 20, 2026, 3:41 PM', 'Nov 20, 2026'],
  ['en-GB', '20 Nov 2026, 03:41 pm', '20 Nov 2026'],
  ['de-DE', '20 Nov 2026, 03:41 pm', '20 Nov 2026'],
  ['de', '20 Nov 2026, 03:41 pm', '20 Nov 2026'],
  ['en-CA', 'Nov 20, 2026, 3:41 p.m.', 'Nov 20, 2026'],
  ['en-US@posix', 'Nov 20, 2026, 3:41 PM', 'Nov 20, 2026'],
])('dates for readers in %s are English and in their order: %s', (language, time, day) => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue(language);
  expect(dateTime(new Date('2026-11-20T15:41:00')).replaceAll('\u202f', ' ')).toBe(time);
  expect(dayText('2026-11-20')).toBe(day);
});

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

test('a comparison with the cloud is late after an hour', () => {
  expect(isComparisonLate(new Date('2026-11-20T11:00:00Z'), NOW)).toBe(false);
  expect(isComparisonLate(new Date('2026-11-20T10:59:59Z'), NOW)).toBe(true);
});

test('data older than two minutes is stale', () => {
  expect(isStale(new Date('2026-11-20T11:58:00Z'), NOW)).toBe(false);
  expect(isStale(new Date('2026-11-20T11:57:59Z'), NOW)).toBe(true);
});

test.each([
  ['2026-11-20T12:00:00Z', 'UTC', { day: 5, minute: 720 }],
  ['2026-11-22T23:30:00Z', 'UTC', { day: 7, minute: 1410 }],
  ['2026-11-22T23:30:00Z', 'Asia/Tokyo', { day: 1, minute: 510 }],
  ['2026-11-23T06:05:00Z', 'America/Chicago', { day: 1, minute: 5 }],
  ['2026-11-23T03:00:00Z', 'America/Chicago', { day: 7, minute: 1260 }],
  ['2026-11-23T03:00:00Z', 'Mars/Olympus', undefined],
  ['2026-11-23T03:00:00Z', null, undefined],
])('%s in %s is %o of the week', (at, zone, time) => {
  expect(weekTimeIn(zone, new Date(at))).toEqual(time);
});

test.each([
  [0, 0, '12:00 AM', '00:00'],
  [9, 5, '9:05 AM', '09:05'],
  [12, 0, '12:00 PM', '12:00'],
  [23, 59, '11:59 PM', '23:59'],
])('%i:%i is formatted in the chosen format', (hour, minute, twelve, twentyFour) => {
  expect(plain(timeOfDay(hour, minute))).toBe(twelve);
  setTimeFormat('24hour');
  expect(timeOfDay(hour, minute)).toBe(twentyFour);
});

test('times with and without a date follow the chosen format', () => {
  const at = new Date(2026, 10, 20, 0, 41);
  expect([plain(shortTime(at, at)), plain(dateTime(at))]).toEqual(['12:41 AM', 'Nov 20, 2026, 12:41 AM']);
  setTimeFormat('24hour');
  expect([shortTime(at, at), dateTime(at)]).toEqual(['00:41', 'Nov 20, 2026, 00:41']);
});

/** The space before AM and PM is a no-break space. */
function plain(text: string): string {
  return text.replace(/ /g, ' ');
}

test('hours and times are in the chosen format', () => {
  const at = new Date(2026, 10, 20, 15, 41);
  expect([hourText(at), clockTime(at)]).toEqual(['3 PM', '3:41 PM']);
  setTimeFormat('24hour');
  expect([hourText(at), clockTime(at)]).toEqual(['15', '15:41']);
});

test.each([
  [new Date(2026, 10, 22, 8, 12), '8:12 AM'],
  [new Date(2026, 10, 21, 23, 59), 'Nov 21'],
  [new Date(2026, 0, 1), 'Jan 1'],
  [new Date(2025, 11, 31, 23, 59), 'Dec 31, 2025'],
])('%s is shown as time of today, day of this year, or date with year: %s', (at, text) => {
  expect(dayOrTime(at, new Date(2026, 10, 22, 12))).toBe(text);
});

test('a time in another zone has the name of the zone, in the own zone it has none', () => {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  expect(dateTime(NOW, own)).toBe(dateTime(NOW));
  expect(isForeign(NOW, own)).toBe(false);
  expect(isForeign(NOW, undefined)).toBe(false);
  expect(isForeign(NOW, 'Asia/Kathmandu')).toBe(true);
  expect(dateTime(NOW, 'Asia/Kathmandu')).toBe('Nov 20, 2026, 5:45 PM GMT+5:45');
  expect(clockTime(NOW, 'Asia/Kathmandu')).toBe('5:45 PM GMT+5:45');
  setTimeFormat('24hour');
  expect(clockTime(NOW, 'Asia/Kathmandu')).toBe('17:45 GMT+5:45');
});

test('times and near days of a zone that the browser does not know are the own ones, with its name', () => {
  const [at, zone] = [new Date('2026-11-20T12:00:00Z'), zoneOf('Mars/Olympus')];
  const note = ' (your time; the device is in Mars/Olympus)';
  expect(dateTime(at, zone)).toBe(dateTime(at) + note);
  expect(clockTime(at, zone)).toBe(clockTime(at) + note);
  expect(shortTime(at, new Date('2027-02-01T00:00:00Z'), zone)).toBe(dateTime(at) + note);
  expect(nearDay(at, at, zone)).toBe(nearDay(at, at) + note);
  expect(monthDay(at, zone)).toBe(monthDay(at));
});

test('a day ends at midnight of the zone', () => {
  const late = new Date('2026-11-20T20:00:00Z');
  expect(shortTime(late, NOW, 'Asia/Kathmandu')).toBe('Nov 21, 2026, 1:45 AM GMT+5:45');
  expect(shortTime(NOW, NOW, 'Asia/Kathmandu')).toBe('5:45 PM GMT+5:45');
  expect([monthDay(late, 'Asia/Kathmandu'), hourText(late, 'Asia/Tokyo')]).toEqual(['Nov 21', '5 AM']);
});
