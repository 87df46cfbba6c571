import { expect, test, vi } from 'vitest';
import { type Country, countryChoices, loadCountries, regionChoices } from './countries';

const countries = await loadCountries();

const labels = (country: string) => regionChoices(countries, country).map(({ label }) => label);

test('countries are loaded from the console itself', async () => {
  const fetch = vi.fn();
  vi.stubGlobal('fetch', fetch);
  expect(await loadCountries()).toHaveLength(249);
  expect(fetch).not.toHaveBeenCalled();
});

test('each country has a name, a short code and regions with names, some with short codes', () => {
  for (const { countryName, countryShortCode, regions } of countries) {
    expect(countryName).toMatch(/\S/);
    expect(countryShortCode, countryName).toMatch(/^[A-Z]{2}$/);
    for (const region of regions) {
      expect(region.name, countryName).toMatch(/\S/);
      expect(['string', 'undefined'], countryName).toContain(typeof region.shortCode);
    }
  }
  const all = countries.flatMap(({ regions }) => regions);
  expect(all.filter(({ shortCode }) => shortCode === undefined).length).toBeGreaterThan(0);
  expect(new Set(countries.map(({ countryShortCode }) => countryShortCode)).size).toBe(countries.length);
});

test('choices are distinct', () => {
  for (const choices of [
    countryChoices(countries),
    ...countries.map(({ countryName }) => regionChoices(countries, countryName)),
  ]) {
    expect(new Set(choices.map(({ value }) => value)).size).toBe(choices.length);
  }
});

test('countries are stored and shown by their names', () => {
  expect(countryChoices(countries)).toContainEqual({ value: 'United States', label: 'United States' });
});

test('regions of the US and Canada show their short codes first, others only their names', () => {
  expect(labels('United States')).toContain('WI - Wisconsin');
  expect(labels('Canada')).toContain('ON - Ontario');
  expect(labels('Mexico')).toContain('Jalisco');
  for (const country of ['United States', 'Canada']) {
    for (const label of labels(country)) expect(label).toMatch(/^[A-Z]{2} - ./);
  }
  expect(regionChoices(countries, 'United States')).toContainEqual({ value: 'Wisconsin', label: 'WI - Wisconsin' });
});

test('a region of the US without a short code shows its name', () => {
  const some: Country[] = [{ countryName: 'States', countryShortCode: 'US', regions: [{ name: 'Nowhere' }] }];
  expect(regionChoices(some, 'States')).toEqual([{ value: 'Nowhere', label: 'Nowhere' }]);
});

test.each(['', 'Atlantis', 'US', 'united states'])('%j has no regions', (country) => {
  expect(regionChoices(countries, country)).toEqual([]);
});
