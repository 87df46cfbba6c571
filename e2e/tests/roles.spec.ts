import type { Locator, Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { columnOf, cspOf, EVERYBODY } from '../harness/people';
import { permission } from '../harness/permissions';
import { AccountScreen } from '../screens/account';
import { changesBlock } from '../screens/audit';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { NOT_FOUND, visitOf } from '../screens/visits';

const DEVICE_ROUTE = '/devices/$dsn';
const ADD_ROUTE = '/devices/add';
const EDIT_ROUTE = '/devices/$dsn/edit';
const SCHEDULE_ROUTE = '/devices/$dsn/edit/schedule';

/** The lines of docs/permissions.tsv about what exists so far inside the screens. */
const PARTS: { kind: 'navigation' | 'button'; line: string; on: string; part: (page: Page) => Locator }[] = [
  {
    kind: 'navigation',
    line: 'Devices',
    on: '/devices',
    part: (page) => new Shell(page).navigation.getByRole('link', { name: 'Devices' }),
  },
  {
    kind: 'navigation',
    line: 'Audit',
    on: '/devices',
    part: (page) => new Shell(page).navigation.getByRole('link', { name: 'Audit' }),
  },
  { kind: 'button', line: 'device page: changes', on: DEVICE_ROUTE, part: changesBlock },
  { kind: 'button', line: 'account: Sign Out', on: '/account', part: (page) => new AccountScreen(page).signOut },
  {
    kind: 'button',
    line: 'account: time-format panel',
    on: '/account',
    part: (page) => new AccountScreen(page).tab('Time Format'),
  },
  {
    kind: 'button',
    line: 'devices list: filter dialog, clear filters, page size, pagination',
    on: '/devices',
    part: (page) => page.getByRole('combobox', { name: 'Rows per page' }),
  },
  {
    kind: 'button',
    line: 'devices list: filter dialog, clear filters, page size, pagination',
    on: '/devices',
    part: (page) => new DeviceListScreen(page).filter,
  },
  {
    kind: 'button',
    line: 'devices list: CSP column',
    on: '/devices',
    part: (page) => new DeviceListScreen(page).sortBy('CSP'),
  },
  { kind: 'button', line: 'device page: Back', on: DEVICE_ROUTE, part: (page) => new DeviceScreen(page).back },
  {
    kind: 'button',
    line: 'device page: CSP field in name block',
    on: DEVICE_ROUTE,
    part: (page) => page.getByRole('region', { name: 'Name' }).getByRole('term').getByText('CSP', { exact: true }),
  },
  {
    kind: 'button',
    line: 'device page: settings dialog, save',
    on: DEVICE_ROUTE,
    part: (page) => new DeviceScreen(page).settings,
  },
  {
    kind: 'button',
    line: 'device page: Reset Fragrance Level',
    on: DEVICE_ROUTE,
    part: (page) => new DeviceScreen(page).resetLevel,
  },
  {
    kind: 'button',
    line: 'devices list: Add Device',
    on: '/devices',
    part: (page) => new DeviceListScreen(page).addDevice,
  },
  {
    kind: 'button',
    line: 'device page: edit icons of the blocks',
    on: DEVICE_ROUTE,
    part: (page) => new DeviceScreen(page).editDevice,
  },
  {
    kind: 'button',
    line: 'device page: schedule edit button',
    on: DEVICE_ROUTE,
    part: (page) => new DeviceScreen(page).editSchedule,
  },
  {
    kind: 'button',
    line: 'schedule page: edit dialog, Save Schedule',
    on: SCHEDULE_ROUTE,
    part: (page) => page.getByRole('button', { name: 'Save Schedule', disabled: false }),
  },
  {
    kind: 'button',
    line: 'schedule page: edit dialog, Save Schedule',
    on: SCHEDULE_ROUTE,
    part: (page) => page.getByRole('button', { name: 'Edit Schedule 21', disabled: false }),
  },
  ...[ADD_ROUTE, EDIT_ROUTE].flatMap((on) => [
    {
      kind: 'button' as const,
      line: 'device form: CSP dropdown (visible)',
      on,
      part: (page: Page) => new DeviceFormScreen(page).select('CSP'),
    },
    {
      kind: 'button' as const,
      line: 'device form: Detect Location',
      on,
      part: (page: Page) => new DeviceFormScreen(page).detectLocation,
    },
  ]),
];

/** The router's notation in that of docs/permissions.tsv. */
function lineOf(path: string): string {
  return path.replace(/\$(\w+)/g, '{$1}');
}

test('every route has a line in docs/permissions.tsv', () => {
  for (const { path } of ROUTES) expect(permission('screen', lineOf(path)).operation).toBeTruthy();
});

for (const person of [null, ...EVERYBODY]) {
  test(`${person ?? 'nobody'} sees what docs/permissions.tsv says`, async ({ open, fleet, guard }) => {
    guard.expect(404, /^\/api\/devices\/dsns\//);
    const page = await open(person, { ownSession: true });
    const column = columnOf(person);
    const form = new SignInScreen(page);
    const device = new DeviceScreen(page);
    const own = fleet.find(({ csp }) => csp === ((person && cspOf(person)) ?? 'Meridian Air'));
    const foreign = fleet.find(({ csp }) => csp === 'Quayside Services');
    const paths = ROUTES.map(({ path }) => path).filter((path) => path !== '/signout');

    for (const path of paths) {
      await test.step(path, async () => {
        const { address, arrived } = visitOf(path);
        const verdict = permission('screen', lineOf(path)).verdict(column);
        await page.goto(address(own.dsn));
        if (verdict !== 'deny') await expect(arrived(page)).toBeVisible();
        else if (person === null) await expect(form.heading).toBeVisible();
        // A page about one device says no more than that there is none.
        else await expect(isOfDevice(path) ? device.notFound : form.refused).toBeVisible();

        if (verdict === 'deny') return;
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
        for (const { kind, line, part } of PARTS.filter(({ on }) => on === path)) {
          const allowed = permission(kind, line).verdict(column) !== 'deny';
          await expect(part(page), line).toHaveCount(allowed && !isEmptyTable(line, column) ? 1 : 0);
        }
        if (verdict === 'own-csp' && isOfDevice(path)) {
          await page.goto(address(foreign.dsn));
          await expect(device.notFound).toBeVisible();
        }
      });
    }

    await page.goto(NOT_FOUND.address(''));
    await expect(NOT_FOUND.arrived(page)).toBeVisible();
    await page.goto('/signout');
    await expect(form.heading).toBeVisible();
    await page.goto('/devices');
    await expect(form.heading).toBeVisible();
  });
}

function isOfDevice(path: string): boolean {
  return path.startsWith(DEVICE_ROUTE);
}

/** Without a row there is no table, so it has no column. */
function isEmptyTable(line: string, column: string): boolean {
  return line.endsWith('column') && column === 'no_role';
}
