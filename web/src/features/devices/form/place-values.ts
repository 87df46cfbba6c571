import type { Place } from '@/api/schema.gen';
import type { Country } from '@/domain/countries';
import type { DeviceValues } from './device-values';

/** The fields that follow from a position, in order. */
const FIELDS = ['timeZone', 'country', 'state'] as const;

export type PlaceField = (typeof FIELDS)[number];
export type PlaceValues = Partial<Record<PlaceField, string>>;

/** The device cloud's default time zone. */
const DEFAULT_ZONE = 'UTC';

interface Form {
  /** An existing device, whose stored values are kept. */
  isNew: boolean;
  start: DeviceValues;
  current: (field: PlaceField) => string;
  /** Fields filled in by an earlier detection instead of the user. */
  earlier: PlaceValues;
}

/** The place in the form's format, without unknown and unavailable values. */
export function placeValues(place: Place, countries: readonly Country[]): PlaceValues {
  const country = countries.find(({ countryShortCode }) => countryShortCode === place.countryCode);
  const state = country?.regions.find(({ shortCode }) => shortCode && shortCode === place.stateCode);
  return {
    ...(place.timeZone && { timeZone: place.timeZone }),
    ...(country && { country: country.countryName }),
    ...(state && { state: state.name }),
  };
}

/** The values of the place to fill in, and the fields that keep a different value chosen by the user. */
export function fillIn(place: PlaceValues, form: Form): { filled: PlaceValues; kept: PlaceField[] } {
  const { current } = form;
  const filled: PlaceValues = {};
  if (place.timeZone && isFree('timeZone', form)) filled.timeZone = place.timeZone;
  if (place.country && isFree('country', form)) filled.country = place.country;
  const country = filled.country ?? current('country');
  // A state belongs to its country.
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
  const isDefault = isNew || (field === 'timeZone' && value === DEFAULT_ZONE);
  return isDefault && value === start[field];
}
