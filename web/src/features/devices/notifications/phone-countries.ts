import { t } from '@/i18n/en';
import type { Choice } from '@/lib/choices';
import callingCodes from './calling-codes.json';

/** The default country of a phone number. */
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
