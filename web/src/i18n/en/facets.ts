/** Texts of the fields that offer the values of a filter. */
export const facets = {
  exact: 'exact',
  valuesOf: (label: string) => `Values of ${label}`,
  more: 'Show more',
  failed: 'Failed to load the values with their numbers of devices.',
  failedTypeOne: 'Failed to load the values. You can type a value or a part of one.',
} as const;
