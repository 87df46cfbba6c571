import type { Choice } from '@/domain/choices';
import type { Country } from '@/domain/countries';
import { t } from '@/i18n/en';
import callingCodes from './calling-codes.json';

/** The country of a phone number if nothing says otherwise. */
export const DEFAULT_COUNTRY = 'US';

/** Every country with phone numbers, by two-letter code, ordered by name. */
export function phoneCountries(): Choice[] {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  const countries = Object.entries(callingCodes).map(([letters, code]) => ({
    value: letters,
    label: t.notifications.countryCode(names.of(letters) ?? letters, code),
  }));
  return countries.sort((one, other) => one.label.localeCompare(other.label, 'en'));
}

/** The country of a new phone number: that of the device, which is stored by name or as two letters. */
export function phoneCountryOf(country: string | null, countries: readonly Country[]): string {
  const known = countries.find(({ countryName }) => countryName === country)?.countryShortCode ?? country;
  return known && known in callingCodes ? known : DEFAULT_COUNTRY;
}
