import { type Choice, plainChoices } from './choices';

/** A country of ISO 3166-1 and its regions. */
export interface Country {
  countryName: string;
  countryShortCode: string;
  regions: Region[];
}

export interface Region {
  name: string;
  /** Missing where a region has none. */
  shortCode?: string;
}

/** Countries where everybody knows the regions by their short codes. */
const SHORT_CODES_FIRST = ['US', 'CA'];

/** All countries: shipped with the console, and read only by who needs them. */
export async function loadCountries(): Promise<Country[]> {
  return (await import('country-region-data/data.json')).default;
}

/** Stored, like regions, by their names. */
export function countryChoices(countries: readonly Country[]): Choice[] {
  return plainChoices(countries.map(({ countryName }) => countryName));
}

/** The regions of the country with this name; none of one that is not ours. */
export function regionChoices(countries: readonly Country[], countryName: string): Choice[] {
  const country = countries.find((country) => country.countryName === countryName);
  if (!country) return [];
  const codesFirst = SHORT_CODES_FIRST.includes(country.countryShortCode);
  return country.regions.map(({ name, shortCode }) => ({
    value: name,
    label: codesFirst && shortCode ? `${shortCode} - ${name}` : name,
  }));
}
