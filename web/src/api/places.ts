import { call } from './http';
import type { GetPlaceData, Place } from './schema.gen';

/** The time zone, country and state of a position in degrees. */
export function getPlace(query: GetPlaceData['query']): Promise<Place> {
  return call('GET /api/places', { query });
}
