import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { navigate } from '../harness/navigation';
import { columnOf, cspOf, EVERYBODY } from '../harness/people';
import { permission, permissions } from '../harness/permissions';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { PARTS } from '../screens/parts';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { NOT_FOUND, visitOf } from '../screens/visits';

const DEVICE_ROUTE = '/devices/$dsn';
const CSP_FILTER = 'devices list: CSP filter (also /devices?csp=)';

type Kind = Parameters<typeof permissions>[0];

/**
 * Lines about one person or one CSP, which users-list.spec.ts, users.spec.ts and csps.spec.ts prove, and about an entry of the
 * menu, which import.spec.ts opens.
 */
const ELSEWHERE = [
  'Export / Import',
  'users list: CSP filter (also /users?csp=)',
  'users list: Resend confirmation',
  'csps list: Edit (only when free)',
  'user form: edit and save another user',
  'user form: edit and save own record',
  'user form: choose role OEM Admin or OEM Observer',
  'user form: choose role CSP Admin, CSP Observer',
  'user form: choose role CSP Technician',
  'edit user: Reset Password',
  'edit user: Remove User (another user)',
  'edit user: Remove User (own record)',
  'csp page: save name',
  'csp page: Remove CSP (only when free)',
];

/** Converts a route to the notation of quality/permissions.tsv. */
function lineOf(path: string): string {
  return path.replace(/\$(\w+)/g, '{$1}');
}

test('every line of quality/permissions.tsv about the console has a test, and every route has a line', () => {
  const proved: Record<Kind, string[]> = {
    screen: [...ROUTES.map(({ path }) => permission('screen', lineOf(path)).operation), 'not-found page'],
    navigation: PARTS.filter(({ kind }) => kind === 'navigation').map(({ line }) => line),
    button: [...PARTS.filter(({ kind }) => kind === 'button').map(({ line }) => line), CSP_FILTER],
  };
  const kinds = ['screen', 'navigation', 'button'] as const;
  const missing = kinds.flatMap((kind) =>
    permissions(kind).flatMap(({ operation }) => (proved[kind].includes(operation) ? [] : [operation])),
  );
  expect(missing.sort()).toEqual([...ELSEWHERE].sort());
});

for (const person of [null, ...EVERYBODY]) {
  test(`${person ?? 'nobody'} sees what quality/permissions.tsv says`, async ({ open, fleet, guard }) => {
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
        await navigate(page, address(own.dsn));
        if (verdict !== 'deny') {
          await expect(arrived(page)).toBeVisible();
        } else if (person !== null && isOfDevice(path)) {
          // A page about one device reports only that the device was not found.
          await expect(device.notFound).toBeVisible();
        } else {
          await expect(person === null ? form.heading : new Shell(page).refused).toBeVisible();
          await expect(page).toHaveURL(person === null ? '/signin' : address(own.dsn));
        }

        if (verdict === 'deny') return;
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
        for (const { kind, line, part } of PARTS.filter(({ on }) => on === path)) {
          const allowed = permission(kind, line).verdict(column) !== 'deny';
          await expect(part(page), line).toHaveCount(allowed && !isEmptyTable(line, column) ? 1 : 0);
        }
        if (path === '/devices') {
          const dialog = await new DeviceListScreen(page).openFilter();
          const csp = permission('button', 'devices list: CSP filter').verdict(column) === 'allow';
          await expect(dialog.field('CSP'), CSP_FILTER).toHaveCount(csp ? 1 : 0);
        }
        if (verdict === 'own-csp' && isOfDevice(path)) {
          await navigate(page, address(foreign.dsn));
          await expect(device.notFound).toBeVisible();
        }
      });
    }

    await navigate(page, NOT_FOUND.address(''));
    await expect(NOT_FOUND.arrived(page)).toBeVisible();
    await navigate(page, '/signout');
    await expect(form.heading).toBeVisible();
    await page.goto('/devices');
    await expect(form.heading).toBeVisible();
  });
}

function isOfDevice(path: string): boolean {
  return path.startsWith(DEVICE_ROUTE);
}

/** Whether the list is empty: then there is no table and so no column. */
function isEmptyTable(line: string, column: string): boolean {
  return line.endsWith('column') && column === 'no_role';
}
