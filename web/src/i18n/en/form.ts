/** What every form says. */
export const form = {
  required: 'Required',
  tooLong: (most: number) => `Must be at most ${most} characters`,
  oneLine: 'Must be one line of text',
  noChoice: 'No match',
  clear: (field: string) => `Clear ${field}`,
  countriesFailed: 'Failed to load countries',
  noRegions: 'None in this country',
  countryFirst: 'Choose a country first',
  restored: 'Restored what you typed before',
  discard: 'Discard',
  leaveTitle: 'Leave without saving?',
  leaveText: 'What you changed here has not been saved.',
  stay: 'Stay',
  leave: 'Leave',
} as const;
