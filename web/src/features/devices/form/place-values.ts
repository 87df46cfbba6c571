import type { Place } from '@/api/schema.gen';
import type { Country } from '@/lib/countries';
import type { DeviceValues } from './device-values';

/** The fields that follow from a position, in their order. */
const FIELDS = ['timeZone', 'country', 'state'] as const;

export type PlaceField = (typeof FIELDS)[number];
export type PlaceValues = Partial<Record<PlaceField, string>>;

/** What the device cloud gives a device whose time zone nobody has set. */
const DEFAULT_ZONES = ['UTC', 'Etc/UTC'];

interface Form {
  /** A device that is there keeps what somebody has stored. */
  isNew: boolean;
  start: DeviceValues;
  current: (field: PlaceField) => string;
  /** Filled in by an earlier detection, so not chosen by anybody. */
  earlier: PlaceValues;
}

/** The place as the form stores it. What is not known or not offered is left out. */
export function placeValues(place: Place, countries: readonly Country[]): PlaceValues {
  const country = countries.find(({ countryShortCode }) => countryShortCode === place.countryCode);
  const state = country?.regions.find(({ shortCode }) => shortCode && shortCode === place.stateCode);
  return {
    ...(place.timeZone && { timeZone: place.timeZone }),
    ...(country && { country: country.countryName }),
    ...(state && { state: state.name }),
  };
}

/** What of the place goes into the form, and the fields that keep another value because somebody has chosen it. */
export function fillIn(place: PlaceValues, form: Form): { filled: PlaceValues; kept: PlaceField[] } {
  const { current } = form;
  const filled: PlaceValues = {};
  if (place.timeZone && isFree('timeZone', form)) filled.timeZone = place.timeZone;
  if (place.country && isFree('country', form)) filled.country = place.country;
  const country = filled.country ?? current('country');
  // A state goes with its country.
  if (place.country && country === place.country && (country !== current('country') || isFree('state', form))) {
    filled.state = place.state ?? '';
  }
  const isKept = (field: PlaceField) => field !== 'state' || country === place.country;
  const kept = FIELDS.filter(
    (field) => filled[field] === undefined && place[field] && place[field] !== current(field) && isKept(field),
  );
  return { filled, kept };
}

function isFree(field: PlaceField, { isNew, start, current, earlier }: Form): boolean {
  const value = current(field);
  if (value === '' || value === earlier[field]) return true;
  const isDefault = isNew || (field === 'timeZone' && DEFAULT_ZONES.includes(value));
  return isDefault && value === start[field];
}
