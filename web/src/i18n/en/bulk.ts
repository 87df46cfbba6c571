export const bulk = {
  title: 'Bulk Edit Details',
  lead: 'Select devices in the list, also on several pages, and choose the CSP that all of them get.',
  chosen: (count: number) => (count === 1 ? '1 device selected' : `${count} devices selected`),
  clear: 'Clear selection',
  csp: 'CSP',
  cspsFailed: 'Failed to load CSPs.',
  leave: 'Cancel',
  saved: 'Successfully updated device details',
  failed: 'Failed to update details',
  progress: 'Updating device details',
} as const;
