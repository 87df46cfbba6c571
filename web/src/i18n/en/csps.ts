const UNCOUNTED = '–';

/** The list of CSPs and their form. */
export const csps = {
  title: 'CSPs',
  failed: 'Failed to load CSPs',
  noMatch: 'No CSP matches the filter.',
  noRows: 'CSPs that are added appear here.',
  filterTitle: 'Filter CSPs',
  nameFilter: 'Filter by name',
  columns: { name: 'Name', devices: 'Devices', users: 'Users', edit: 'Edit' },
  deviceCount: (count: number | null) => counted(count, 'device'),
  userCount: (count: number | null) => counted(count, 'user'),
  of: (what: string, name: string) => `${what} of ${name}`,
  uncounted: UNCOUNTED,
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  one: 'CSP',
  addTitle: 'Add CSP',
  editTitle: (name: string) => `Edit ${name}`,
  name: 'Name',
  inUse: 'Devices or people belong to this CSP, so it can be neither renamed nor removed.',
  added: 'Successfully added CSP',
  addFailed: 'Failed to create CSP',
  updated: 'Successfully updated CSP',
  updateFailed: 'Failed to update CSP',
  remove: 'Remove CSP',
  removeQuestion: (name: string) => `Remove the CSP ${name}? This action cannot be undone.`,
  removed: 'Successfully removed CSP',
  removeFailed: 'Failed to remove CSP',
  loadFailed: 'Failed to load CSP',
  notFoundHint: 'There is no CSP at this address; it may have been removed.',
} as const;

function counted(count: number | null, what: string): string {
  return `${count ?? UNCOUNTED} ${what}${count === 1 ? '' : 's'}`;
}
