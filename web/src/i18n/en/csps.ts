import { numberText } from '@/domain/number-text';
import { pages } from './pages';

const UNCOUNTED = '–';

/** The list of CSPs and their form. */
export const csps = {
  title: pages.csps,
  failed: 'Failed to load CSPs',
  noMatch: 'No CSP matches the filter.',
  noRows: 'CSPs that are added appear here.',
  filterTitle: 'Filter CSPs',
  nameFilter: 'Filter by name',
  columns: { name: 'Name', devices: 'Devices', users: 'Users', edit: 'Edit' },
  deviceCount: (count: number | null) => counted(count, 'device'),
  userCount: (count: number | null) => counted(count, 'user'),
  of: (what: string, name: string) => `${what} of ${name}`,
  count: countText,
  edit: 'Edit',
  editOf: (name: string) => `Edit ${name}`,
  one: 'CSP',
  addTitle: 'Add CSP',
  editTitle: (name: string) => `Edit ${name}`,
  name: 'Name',
  inUseBy: (devices: number | null, users: number | null) => {
    const owners = [devices && counted(devices, 'device'), users && counted(users, 'user')].filter(Boolean);
    return owners.length > 0 ? `In use by ${owners.join(' and ')}` : 'In use';
  },
  fixed: (use: string) => `${use}. A CSP can be renamed or removed once nothing belongs to it.`,
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
  return `${countText(count)} ${what}${count === 1 ? '' : 's'}`;
}

function countText(count: number | null): string {
  return count === null ? UNCOUNTED : numberText(count);
}
