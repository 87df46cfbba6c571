import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { daysIn, sameZone, zoneName, zoneOf } from './time-zone';

test('a zone that the browser does not know is kept by its name', () => {
  expect(['Europe/Oslo', 'UTC', null, '', 'Mars/Olympus', 'Europe/Oslo'].map(zoneOf)).toEqual([
    'Europe/Oslo',
    'UTC',
    undefined,
    undefined,
    { unknown: 'Mars/Olympus' },
    'Europe/Oslo',
  ]);
});

test('the zone of the browser is found by another name of it', () => {
  const names = ['Asia/Kolkata', 'Europe/Kyiv', 'Europe/Oslo', 'Mars/Olympus'];
  const browserName = (name: string) => new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  for (const name of ['Asia/Kolkata', 'Europe/Kyiv', 'Europe/Oslo']) {
    expect(sameZone(names, browserName(name))).toBe(name);
    expect(sameZone(names, name)).toBe(name);
  }
  expect(sameZone(names, 'Asia/Tokyo')).toBeUndefined();
});

test.each([
  ['2026-11-20T12:00:00Z', 'America/Los_Angeles', 'PST'],
  ['2026-07-20T12:00:00Z', 'America/Los_Angeles', 'PDT'],
  ['2026-11-20T12:00:00Z', 'Asia/Tokyo', 'GMT+9'],
  ['2026-11-20T12:00:00Z', 'UTC', 'UTC'],
])('at %s %s is called %s', (at, zone, name) => {
  expect(zoneName(new Date(at), zone)).toBe(name);
});

test.each([
  ['2026-11-20T12:00:00Z', 'UTC', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'],
  ['2026-11-20T14:59:59Z', 'Asia/Tokyo', '2026-11-19T15:00:00Z', '2026-11-20T15:00:00Z'],
  ['2026-11-20T15:00:00Z', 'Asia/Tokyo', '2026-11-20T15:00:00Z', '2026-11-21T15:00:00Z'],
  ['2026-11-20T12:00:00Z', 'Asia/Kathmandu', '2026-11-19T18:15:00Z', '2026-11-20T18:15:00Z'],
  // 25 and 23 hours.
  ['2026-11-01T12:00:00Z', 'America/New_York', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ['2026-03-08T12:00:00Z', 'America/New_York', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
  ['2026-12-31T12:00:00Z', 'UTC', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'],
])('the day of %s in %s is from %s to %s', (at, zone, start, end) => {
  const from = new Date(at);
  expect(daysIn(from, new Date(from.getTime() + 1), zone, Temporal)).toEqual([
    { start: new Date(start), end: new Date(end) },
  ]);
});

test('without a zone the days are those of the browser', () => {
  const days = daysIn(new Date(2026, 10, 20, 13), new Date(2026, 10, 21, 1), undefined, Temporal);
  expect(days.map(({ start }) => start)).toEqual([new Date(2026, 10, 20), new Date(2026, 10, 21)]);
});
