import type { DeviceFacetField } from '@/api/schema.gen';

/**
 * How the dialog searches the values of a filter: on the server, where a typed part of a value is a filter as well; on the server,
 * where only a whole value is a filter; or among the labels of the page, because the server stores codes.
 */
export type FacetKind = 'part' | 'whole' | 'code';

/** The filters whose dialog fields offer the values that devices have. */
export const FACET_KINDS: Record<DeviceFacetField, FacetKind> = {
  customer: 'part',
  servicearea: 'part',
  csp: 'whole',
  model: 'code',
  fragrance: 'part',
  network: 'part',
  city: 'part',
  stateprovince: 'part',
  country: 'part',
  connectionstatus: 'code',
  mode: 'code',
};

export function isFacet(name: string): name is DeviceFacetField {
  return Object.hasOwn(FACET_KINDS, name);
}
