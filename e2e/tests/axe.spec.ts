import { ROUTES } from '../../web/src/app/paths';
import { expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { navigate } from '../harness/navigation';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { NOT_FOUND, VISITS, visitOf } from '../screens/visits';

test('the visits cover exactly the routes of the console', () => {
  expect(Object.keys(VISITS).sort()).toEqual(ROUTES.map(({ path }) => path).sort());
});

for (const size of [PHONE, DESK]) {
  const { width } = size.viewport;

  test(`every route is accessible at ${width} px, light and dark`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(isOnline);
    const page = await open('admin', { ...size, ownSession: true });
    const seen = new Set<string>();
    // The sign-out must come last.
    const routes = ROUTES.map(({ path }) => path).sort((a, b) => Number(a === '/signout') - Number(b === '/signout'));
    for (const { address, arrived } of [...routes.map(visitOf), NOT_FOUND]) {
      await navigate(page, address(dsn));
      await expect(arrived(page)).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      // Some addresses redirect to a page that has been checked.
      if (!seen.has(page.url())) await expectAccessibleInBothSchemes(page, address(dsn));
      seen.add(page.url());
    }
  });

  test(`dialogs, menus and filter chips are accessible at ${width} px, light and dark`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(isOnline);
    const page = await open('admin', size);
    const shell = new Shell(page);
    await navigate(page, `/devices/${dsn}`);
    const dialog = await new DeviceScreen(page).edit();
    await expect(dialog.save).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'settings dialog');
    await dialog.cancel.click();

    await navigate(page, '/devices');
    await expect(new DeviceListScreen(page).heading).toBeVisible();
    if (size === PHONE) {
      await shell.openNavigation.click();
      await expect(shell.navigation).toBeVisible();
      await expectAccessibleInBothSchemes(page, 'navigation');
      await page.keyboard.press('Escape');
    }
    await shell.openAccount();
    await expectAccessibleInBothSchemes(page, 'account menu');
    await page.keyboard.press('Escape');
    // A phone's menu has no entry for them.
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.keyboard.press('?');
    await expect(shell.shortcuts).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'keyboard shortcuts');
    await page.keyboard.press('Escape');
    await expect(shell.shortcuts).toBeHidden();

    const list = new DeviceListScreen(page);
    const filter = await list.openFilter();
    await filter.field('Country').fill('United');
    await expect(filter.values('Country')).toHaveAttribute('aria-busy', 'false');
    await expectAccessibleInBothSchemes(page, 'filter dialog');
    // The menu can cover the button.
    await filter.field('Country').press('Enter');
    await expect(list.chip('Country')).toBeVisible();
    // Rows are pale while they wait for the response.
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expectAccessibleInBothSchemes(page, 'chips of active filters');
  });
}

test('forms with errors, empty lists and failures are accessible', async ({ open, frontProxy, guard }) => {
  guard.expect(404, /^\/api\/devices\/dsns\//);
  guard.expect(503, /^\/api\/devices$/);
  const page = await open('admin', { through: frontProxy });
  await page.goto('/signin');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Email is required')).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'form with errors');
  await page.goto('/devices?dsn=NO-SUCH-DSN');
  await expect(page.getByText('No results')).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'empty list');
  await page.goto('/devices/AC000W999999999');
  await expect(new DeviceScreen(page).notFound).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'device not found');
  frontProxy.fail({ match: /^GET \/api\/devices\?/, status: 503 });
  await page.goto('/devices');
  await expect(page.getByText('Failed to load devices')).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'failed list');
  frontProxy.heal();
});
