import { deviceDetail } from '@test/fake-api';
import { expect, test } from 'vitest';
import { loadCountries } from '@/domain/countries';
import { type DeviceValues, newDeviceValues, valuesOf } from './device-values';
import { fillIn, type PlaceValues, placeValues } from './place-values';

const MILWAUKEE = { timeZone: 'America/Chicago', country: 'United States', state: 'Wisconsin' };
const PARIS = { timeZone: 'Europe/Paris', country: 'France' };
const NEW = newDeviceValues(['UTC'], 'UTC', new Date());

interface Part {
  isNew?: boolean;
  start?: Partial<DeviceValues>;
  current?: Partial<DeviceValues>;
  earlier?: PlaceValues;
}

function fill(place: PlaceValues, { isNew = true, start, current, earlier = {} }: Part) {
  const before = { ...(isNew ? NEW : valuesOf(deviceDetail())), ...start };
  const now = { ...before, ...current };
  return fillIn(place, { isNew, start: before, current: (field) => now[field], earlier });
}

test('codes are converted to the names that the form offers', async () => {
  const countries = await loadCountries();
  const place = { timeZone: 'America/Chicago', countryCode: 'US', stateCode: 'WI' };
  expect(placeValues(place, countries)).toEqual(MILWAUKEE);
  expect(placeValues({ timeZone: 'Asia/Tokyo', countryCode: 'JP', stateCode: null }, countries)).toEqual({
    timeZone: 'Asia/Tokyo',
    country: 'Japan',
  });
});

test.each([
  ['at sea', { timeZone: null, countryCode: null, stateCode: null }, {}],
  ['of an unknown country code', { timeZone: null, countryCode: 'ZZ', stateCode: 'WI' }, {}],
  ['of an unknown state code', { timeZone: null, countryCode: 'FR', stateCode: 'WI' }, { country: 'France' }],
])('a place %s has only the known values', async (_, place, expected) => {
  expect(placeValues(place, await loadCountries())).toEqual(expected);
});

test('a new device gets all values that the user has not chosen, also instead of the browser zone', () => {
  expect(fill(MILWAUKEE, {})).toEqual({ filled: MILWAUKEE, kept: [] });
});

test('a chosen value stays, and a state of another country is not filled in', () => {
  expect(fill(MILWAUKEE, { current: { timeZone: 'Asia/Tokyo' } })).toEqual({
    filled: { country: 'United States', state: 'Wisconsin' },
    kept: ['timeZone'],
  });
  expect(fill(MILWAUKEE, { current: { country: 'France', state: 'Bretagne' } })).toEqual({
    filled: { timeZone: 'America/Chicago' },
    kept: ['country'],
  });
  expect(fill(MILWAUKEE, { current: { country: 'United States', state: 'Illinois' } })).toEqual({
    filled: { timeZone: 'America/Chicago' },
    kept: ['state'],
  });
});

test('the same country gets its state, however it was chosen', () => {
  expect(fill(MILWAUKEE, { current: { country: 'United States' } }).filled).toEqual({
    timeZone: 'America/Chicago',
    state: 'Wisconsin',
  });
});

test('detected values are replaced by a later detection, a state together with its country', () => {
  expect(fill(PARIS, { current: MILWAUKEE, earlier: MILWAUKEE })).toEqual({
    filled: { ...PARIS, state: '' },
    kept: [],
  });
});

test('stored values are kept, except for empty ones and the default zone', () => {
  const stored = { timeZone: 'Europe/Oslo', country: 'Norway', state: '' };
  expect(fill(MILWAUKEE, { isNew: false, start: stored })).toEqual({ filled: {}, kept: ['timeZone', 'country'] });
  expect(fill(MILWAUKEE, { isNew: false, start: MILWAUKEE })).toEqual({ filled: {}, kept: [] });
  for (const timeZone of ['UTC', '']) {
    const part = { isNew: false, start: { timeZone, country: '', state: '' } };
    expect(fill(MILWAUKEE, part), timeZone).toEqual({ filled: MILWAUKEE, kept: [] });
  }
});

test('UTC is kept if the user has chosen it for a device of another zone', () => {
  const part = { isNew: false, start: { timeZone: 'Europe/Oslo' }, current: { timeZone: 'UTC' } };
  expect(fill(PARIS, part).kept).toContain('timeZone');
});
