import { type Choice, plainChoices } from './choices';

/** A country of ISO 3166-1 and its regions. */
export interface Country {
  countryName: string;
  countryShortCode: string;
  regions: Region[];
}

export interface Region {
  name: string;
  /** Missing if the region has no code. */
  shortCode?: string;
}

/** Countries whose regions are commonly known by their codes. */
const SHORT_CODES_FIRST = ['US', 'CA'];

/** All countries, loaded when a form needs them. */
export async function loadCountries(): Promise<Country[]> {
  return (await import('country-region-data/data.json')).default;
}

/** Countries are stored by name, like regions. */
export function countryChoices(countries: readonly Country[]): Choice[] {
  return plainChoices(countries.map(({ countryName }) => countryName));
}

/** The regions of the country with this name; none for an unknown country. */
export function regionChoices(countries: readonly Country[], countryName: string): Choice[] {
  const country = countries.find((country) => country.countryName === countryName);
  if (!country) return [];
  const codesFirst = SHORT_CODES_FIRST.includes(country.countryShortCode);
  return country.regions.map(({ name, shortCode }) => ({
    value: name,
    label: codesFirst && shortCode ? `${shortCode} - ${name}` : name,
  }));
}
