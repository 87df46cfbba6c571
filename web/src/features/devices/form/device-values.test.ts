import { deviceDetail } from '@test/fake-api';
import { expect, test } from 'vitest';
import { FIELDS, newDeviceValues, toDeviceForm, valuesOf } from './device-values';

const TODAY = new Date(2026, 10, 20, 23, 59);
const ZONES = ['America/Chicago', 'Europe/Oslo'];

test('a new device has the first system configuration, the time zone of the browser, and today as install date', () => {
  const values = newDeviceValues(ZONES, 'Europe/Oslo', TODAY);
  expect(Object.keys(values)).toEqual(FIELDS);
  expect(Object.entries(values).filter(([, value]) => value)).toEqual([
    ['installedAt', '2026-11-20'],
    ['systemConfiguration', 'AQ290'],
    ['timeZone', 'Europe/Oslo'],
  ]);
});

test.each(['Mars/Olympus', 'UTC', ''])('%j, which is not a choice, is not preselected', (zone) => {
  expect(newDeviceValues(ZONES, zone, TODAY).timeZone).toBe('');
});

test("the form shows the device's values, and missing ones as empty", () => {
  expect(
    valuesOf(deviceDetail({ lat: 41.8781, lng: 0, customerId: 'C-1', installedAt: '2026-11-19', state: null })),
  ).toEqual({
    customer: 'Harbor Hotels',
    csp: 'AirCo',
    serviceArea: 'Lobby',
    customerId: 'C-1',
    storeNumber: '',
    installedAt: '2026-11-19',
    serialNumber: 'PL-20310',
    dsn: 'AC000W510000001',
    setupCode: '',
    systemConfiguration: 'AQ290',
    fragrance: 'White Tea',
    latitude: '41.8781',
    longitude: '0',
    timeZone: 'America/Chicago',
    country: 'US',
    state: '',
    city: 'Chicago',
  });
});

test('degrees are sent as numbers, empty ones as null, and dsn and setup code are not sent', () => {
  const values = valuesOf(deviceDetail({ lat: 41.8781, lng: -87.6298 }));
  expect(toDeviceForm(values, true)).toMatchObject({
    csp: 'AirCo',
    latitude: 41.8781,
    longitude: -87.6298,
    city: 'Chicago',
  });
  expect(toDeviceForm(values, true)).not.toHaveProperty('dsn');
  expect(toDeviceForm({ ...values, setupCode: '7K2M-9QWX-T04B' }, true)).not.toHaveProperty('setupCode');
  expect(toDeviceForm({ ...values, latitude: ' ', longitude: '' }, true)).toMatchObject({
    latitude: null,
    longitude: null,
  });
});

test('omitted fields are not sent', () => {
  expect(toDeviceForm({}, true)).toEqual({});
  expect(toDeviceForm({ serviceArea: 'Spa', storeNumber: '' }, true)).toEqual({ serviceArea: 'Spa', storeNumber: '' });
  expect(toDeviceForm({ csp: 'AirCo' }, true)).toEqual({ csp: 'AirCo' });
});

test('users who do not see the CSP do not send it', () => {
  expect(toDeviceForm(valuesOf(deviceDetail()), false)).not.toHaveProperty('csp');
});
