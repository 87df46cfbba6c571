import { expect, test } from 'vitest';
import type { DeviceNotification } from '@/api/schema.gen';
import { loadCountries } from '@/domain/countries';
import {
  newNotificationValues,
  notificationBody,
  notificationChanges,
  notificationErrors,
  notificationValues,
} from './notification-form';
import { phoneCountries, phoneCountryOf } from './phone-countries';

const SMS: DeviceNotification = {
  id: 'a1',
  method: 'sms',
  recipient: '+16045550123',
  phone: { country: 'CA', number: '(604) 555-0123' },
  events: { connected: '1/2', disconnected: null, lowProductLevel: '7' },
};
const EMAIL: DeviceNotification = { ...SMS, method: 'email', recipient: 'jo@example.com', phone: null };

test('a new notification starts with a phone number of the country and no event', () => {
  expect(newNotificationValues('NO')).toEqual({ method: 'sms', recipient: '', country: 'NO', events: [] });
});

test.each([
  ['United Kingdom', 'GB'],
  ['Korea, Republic of', 'KR'],
  ['NO', 'NO'],
  ['Atlantis', 'US'],
  // It has no phones.
  ['French Southern and Antarctic Lands', 'US'],
  [null, 'US'],
])('a phone at a device in %s is in %s', async (country, expected) => {
  expect(phoneCountryOf(country, await loadCountries())).toBe(expected);
});

test('an edit starts with the stored values, with the number in national format', () => {
  const events = ['connected', 'lowProductLevel'];
  expect(notificationValues(SMS)).toEqual({ method: 'sms', recipient: '(604) 555-0123', country: 'CA', events });
  expect(notificationValues(EMAIL)).toEqual({ method: 'email', recipient: 'jo@example.com', country: 'US', events });
  // A cloud can store values that are not phone numbers.
  expect(notificationValues({ ...SMS, recipient: '+12', phone: null })).toMatchObject({ recipient: '+12' });
});

test('a recipient and an event are required', () => {
  const values = notificationValues(SMS);
  expect(notificationErrors(values)).toEqual({});
  expect(notificationErrors({ ...values, recipient: ' ', events: [] })).toEqual({
    recipient: 'Required',
    events: 'Select at least one event',
  });
});

test('the request contains the country of a phone number and every event', () => {
  expect(notificationBody(notificationValues(SMS))).toEqual({
    method: 'sms',
    recipient: '(604) 555-0123',
    country: 'CA',
    events: { connected: true, disconnected: false, lowProductLevel: true },
  });
  expect(notificationBody(notificationValues(EMAIL))).not.toHaveProperty('country');
});

test('the request for an existing notification contains the changed fields and the seen values', () => {
  const before = notificationValues(SMS);
  const seen = { recipient: '+16045550123', connected: '1/2', disconnected: null, lowProductLevel: '7' };
  expect(notificationChanges(SMS, before, before)).toEqual({ events: {}, seen });
  expect(notificationChanges(SMS, before, { ...before, events: ['disconnected', 'connected'] })).toEqual({
    events: { disconnected: true, lowProductLevel: false },
    seen,
  });
  expect(notificationChanges(SMS, before, { ...before, country: 'US' })).toEqual({
    recipient: '(604) 555-0123',
    country: 'US',
    events: {},
    seen,
  });
  const email = notificationValues(EMAIL);
  expect(notificationChanges(EMAIL, email, { ...email, recipient: 'kim@example.com' })).toEqual({
    recipient: 'kim@example.com',
    events: {},
    seen: { ...seen, recipient: 'jo@example.com' },
  });
});

test('every country that has telephone numbers is offered by its name and code', () => {
  const countries = phoneCountries();
  const labels = countries.map(({ label }) => label);
  expect(countries.length).toBeGreaterThan(240);
  expect(labels).toEqual(expect.arrayContaining(['United States (+1)', 'Canada (+1)', 'Norway (+47)']));
  expect(labels).toEqual([...labels].sort((one, other) => one.localeCompare(other, 'en')));
});
