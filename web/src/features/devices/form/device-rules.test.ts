import { deviceDetail } from '@test/fake-api';
import { expect, test } from 'vitest';
import { check } from './device-rules';
import { type DeviceValues, FIELDS, isRequired, newDeviceValues, valuesOf } from './device-values';

const GOOD = valuesOf(deviceDetail());

const errorsOf = (part: Partial<DeviceValues>) => check({ ...GOOD, ...part }, true);

test('stored values are valid', () => {
  expect(check(GOOD, true)).toEqual({});
});

test('all fields of an empty form are required except seven', () => {
  const required = FIELDS.filter(isRequired);
  expect(FIELDS.filter((field) => !isRequired(field))).toEqual([
    'customerId',
    'storeNumber',
    'installedAt',
    'setupCode',
    'latitude',
    'longitude',
    'state',
  ]);
  const empty = { ...newDeviceValues([], '', new Date()), systemConfiguration: '', customer: '   ' };
  expect(check(empty, true)).toEqual(Object.fromEntries(required.map((field) => [field, 'Required'])));
});

test('the CSP is required only from users who choose it', () => {
  expect(check({ ...GOOD, csp: '' }, true)).toEqual({ csp: 'Required' });
  expect(check({ ...GOOD, csp: '' }, false)).toEqual({});
});

test('a text is one line of at most 255 characters without surrounding spaces', () => {
  expect(errorsOf({ city: ` ${'ä'.repeat(255)} `, storeNumber: '😀'.repeat(255) })).toEqual({});
  expect(errorsOf({ city: 'x'.repeat(256), storeNumber: 'a\tb' })).toEqual({
    city: 'Must be at most 255 characters',
    storeNumber: 'Must be one line of text',
  });
});

test('an install date is a calendar date or empty', () => {
  expect(errorsOf({ installedAt: '2024-02-29' })).toEqual({});
  expect(errorsOf({ installedAt: '' })).toEqual({});
  expect(errorsOf({ installedAt: '29.02.2024' })).toEqual({ installedAt: 'Must be a date like 2026-11-20' });
});

const LATITUDE = 'Must be between -90 and 90';
const LONGITUDE = 'Must be between -180 and 180';
const BOTH = 'Enter both latitude and longitude';

test.each([
  ['', '', {}],
  ['90', '180', {}],
  ['-90', '-180', {}],
  ['90.000001', '-180.1', { latitude: LATITUDE, longitude: LONGITUDE }],
  ['41,8,7', '10', { latitude: LATITUDE }],
  ['41.8', '', { longitude: BOTH }],
  ['', '10', { latitude: BOTH }],
  ['91', '', { latitude: LATITUDE, longitude: BOTH }],
])('latitude %j with longitude %j', (latitude, longitude, errors) => {
  expect(errorsOf({ latitude, longitude })).toEqual(errors);
});
