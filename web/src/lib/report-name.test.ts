import { expect, test } from 'vitest';
import { csvName } from './report-name';

// Late in the evening, when UTC already has the next day.
const EVENING = new Date(2026, 10, 22, 23, 30);

test.each([
  ['devices', undefined, 'devices-2026-11-22.csv'],
  ['devices', 'Offline', 'devices-offline-2026-11-22.csv'],
  ['devices', 'Northlight Scents', 'devices-northlight-scents-2026-11-22.csv'],
  ['csps', ' ../Łódź & "Søn": 50%? ', 'csps-łódź-søn-50-2026-11-22.csv'],
  ['users', '///', 'users-2026-11-22.csv'],
  ['users', 'x'.repeat(64), `users-${'x'.repeat(40)}-2026-11-22.csv`],
])('a CSV file of %s filtered by %s is named %s', (list, filter, name) => {
  expect(csvName(list, filter, EVENING)).toBe(name);
});

test('the day has two digits', () => {
  expect(csvName('devices', undefined, new Date(2027, 0, 5))).toBe('devices-2027-01-05.csv');
});
