import type { Locator, Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { AccountScreen } from './account';
import { AttentionScreen } from './attention';
import { changesBlock } from './audit';
import { DeviceFormScreen } from './device-form';
import { DeviceListScreen } from './device-list';
import { DeviceScreen } from './device-page';
import { ImportScreen } from './import';
import { NotificationsBlock } from './notifications';
import { ReportDialog } from './report-dialog';
import { Shell } from './shell';

/** A line of quality/permissions.tsv about a part of a screen, and the element that permitted users see. */
export interface Part {
  kind: 'navigation' | 'button';
  line: string;
  /** The route, in the router's notation. */
  on: string;
  part: (page: Page) => Locator;
}

const DEVICE = '/devices/$dsn';
const ADD = '/devices/add';
const EDIT = '/devices/$dsn/edit';
const COPY = '/devices/$dsn/copy';
const SCHEDULE = '/devices/$dsn/edit/schedule';

const list = (page: Page) => new DeviceListScreen(page);
const device = (page: Page) => new DeviceScreen(page);
const form = (page: Page) => new DeviceFormScreen(page);
const button = (line: string, on: string, part: Part['part']): Part => ({ kind: 'button', line, on, part });

/** The entry of the navigation that leads to this route. */
function entry(line: string, to: string): Part[] {
  const part = (page: Page) => new Shell(page).navigation.getByRole('link', { name: line });
  return isRoute(to) ? [{ kind: 'navigation', line, on: '/devices', part }] : [];
}

/** The parts of all screens. */
export const PARTS: Part[] = [
  ...entry('Attention', '/attention'),
  ...entry('Devices', '/devices'),
  ...entry('Fleet', '/fleet'),
  ...entry('Users', '/users'),
  ...entry('CSPs', '/csps'),
  ...entry('Jobs', '/jobs'),
  ...entry('Audit', '/audit'),
  ...['Sign in', 'Sign Up'].map((line) => ({
    kind: 'navigation' as const,
    line,
    on: '/signin',
    part: (page: Page) => page.getByRole('navigation').getByRole('link', { name: line, exact: true }),
  })),
  {
    kind: 'navigation' as const,
    line: 'Account, Help, About, Sign out',
    on: '/devices',
    part: (page: Page) => new Shell(page).account,
  },

  button('devices list: filter dialog, clear filters, page size, pagination', '/devices', (page) =>
    page.getByRole('combobox', { name: 'Rows per page' }),
  ),
  button('devices list: filter dialog, clear filters, page size, pagination', '/devices', (page) => list(page).filter),
  button('devices list: CSP column', '/devices', (page) => list(page).sortBy('CSP')),
  button('devices list: Report', '/devices', (page) => new ReportDialog(page).button),
  button('devices list: Add Device', '/devices', (page) => list(page).addDevice),
  button('devices list: Bulk Edit Details (select, assign CSP)', '/devices', (page) => list(page).bulkEdit),

  button('attention: acknowledge, assign, snooze, comment', '/attention', (page) => new AttentionScreen(page).actions),
  button('attention: save thresholds', '/attention/settings', (page) =>
    page.getByRole('button', { name: 'Save', disabled: false }),
  ),

  button('users list: filters, paging', '/users', (page) => page.getByRole('combobox', { name: 'Rows per page' })),
  button('users list: CSP Name column', '/users', (page) =>
    page.getByRole('columnheader').getByRole('button', { name: 'CSP Name', exact: true }),
  ),
  button('fleet: Report', '/fleet', (page) => new ReportDialog(page).button),
  button('users list: Report', '/users', (page) => new ReportDialog(page).button),
  button('users list: Invite User', '/users', (page) => page.getByRole('link', { name: 'Invite User' })),
  button('user form: choose CSP', '/users/invite', (page) => page.getByRole('combobox', { name: 'CSP', exact: true })),

  button('csps list: Report', '/csps', (page) => new ReportDialog(page).button),
  button('csps list: Add CSP', '/csps', (page) => page.getByRole('link', { name: 'Add CSP' })),
  button('csps list: Devices and Users links', '/csps', (page) =>
    page.getByRole('link', { name: /devices? of / }).first(),
  ),
  button('csps list: Devices and Users links', '/csps', (page) =>
    page.getByRole('link', { name: /users? of / }).first(),
  ),

  button('import: Download, drop zone, Reset, Approve', '/import', (page) => new ImportScreen(page).download),
  button('import: Download, drop zone, Reset, Approve', '/import', (page) => new ImportScreen(page).zone),
  button('import: Download, drop zone, Reset, Approve', '/import', (page) => new ImportScreen(page).reset),
  button('import: Download, drop zone, Reset, Approve', '/import', (page) => new ImportScreen(page).approve),

  button('device page: Back', DEVICE, (page) => device(page).back),
  button('device page: CSP field in name block', DEVICE, (page) =>
    page.getByRole('region', { name: 'Name' }).getByRole('term').getByText('CSP', { exact: true }),
  ),
  button('device page: settings dialog, save', DEVICE, (page) => device(page).settings),
  button('device page: Copy Device Details', DEVICE, (page) => device(page).copy),
  button('device page: Reset Fragrance Level', DEVICE, (page) => device(page).resetLevel),
  button('device page: edit icons of the blocks', DEVICE, (page) => device(page).editDevice),
  button('device page: schedule edit button', DEVICE, (page) => device(page).editSchedule),
  button('device page: changes', DEVICE, changesBlock),
  button('device page: notifications table (view)', DEVICE, (page) => new NotificationsBlock(page).root),
  button('device page: notification add, edit, remove', DEVICE, (page) => new NotificationsBlock(page).add),

  ...[ADD, EDIT].flatMap((on) => [
    button('device form: CSP dropdown (visible)', on, (page) => form(page).select('CSP')),
    button('device form: choose CSP', on, (page) =>
      page.getByRole('combobox', { name: 'CSP', exact: true, disabled: false }),
    ),
    button('device form: Detect Location', on, (page) => form(page).detectLocation),
  ]),
  button('device form: save (add)', ADD, (page) => page.getByRole('button', { name: 'Save', disabled: false })),
  button('device form: save (edit)', EDIT, (page) => page.getByRole('button', { name: 'Save', disabled: false })),
  button('schedule page: edit dialog, Save Schedule', SCHEDULE, (page) =>
    page.getByRole('button', { name: 'Save Schedule', disabled: false }),
  ),
  button('schedule page: edit dialog, Save Schedule', SCHEDULE, (page) =>
    page.getByRole('button', { name: 'Add a time', disabled: false }),
  ),

  // Apply is disabled without a choice; only permitted users can choose options.
  button('copy page: Apply Details (targets in scope)', COPY, (page) =>
    page.getByRole('checkbox', { name: 'Settings', exact: true, disabled: false }),
  ),

  button('account: Sign Out', '/account', (page) => new AccountScreen(page).signOut),
  button('account: save Personal Information', '/account', (page) =>
    page.getByRole('tab', { name: 'Personal Information' }),
  ),
  button('account: Set Password', '/account', (page) => page.getByRole('tab', { name: 'Set Password' })),
  button('account: time-format panel', '/account', (page) => new AccountScreen(page).tab('Time Format')),
  button('account: CSV panel', '/account', (page) => new AccountScreen(page).tab('CSV Files')),
  button('account: access tokens', '/account', (page) => new AccountScreen(page).tab('Access Tokens')),
].filter(({ on }) => isRoute(on));

function isRoute(path: string): boolean {
  return ROUTES.some((route) => route.path === path);
}
