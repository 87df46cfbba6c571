import { expect, test } from 'vitest';
import { datedName } from './report-name';

// Late in the evening, when UTC already has the next day.
const EVENING = new Date(2026, 10, 22, 23, 30);

test.each([
  ['devices', undefined, 'devices-2026-11-22'],
  ['devices', 'Offline', 'devices-offline-2026-11-22'],
  ['devices', 'Northlight Scents', 'devices-northlight-scents-2026-11-22'],
  ['csps', ' ../Łódź & "Søn": 50%? ', 'csps-łódź-søn-50-2026-11-22'],
  ['users', '///', 'users-2026-11-22'],
  ['users', 'x'.repeat(64), `users-${'x'.repeat(40)}-2026-11-22`],
])('a file of %s filtered by %s is named %s', (list, filter, name) => {
  expect(datedName(list, filter, EVENING)).toBe(name);
});

test('the day has two digits', () => {
  expect(datedName('devices', undefined, new Date(2027, 0, 5))).toBe('devices-2027-01-05');
});
