import { ROUTES } from '../../web/src/app/paths';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { NOT_FOUND, VISITS, visitOf } from '../screens/visits';

test('every route is visited here, and no other', () => {
  expect(Object.keys(VISITS).sort()).toEqual(ROUTES.map(({ path }) => path).sort());
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of [PHONE, DESK]) {
    test(`every route is accessible at ${size.viewport.width} px, ${colorScheme}`, async ({ open, fleet }) => {
      const { dsn } = fleet.find(isOnline);
      const page = await open('admin', { ...size, colorScheme, ownSession: true });
      const seen = new Set<string>();
      // Leaving comes last.
      const routes = ROUTES.map(({ path }) => path).sort((a, b) => Number(a === '/signout') - Number(b === '/signout'));
      for (const { address, arrived } of [...routes.map(visitOf), NOT_FOUND]) {
        await page.goto(address(dsn));
        await expect(arrived(page)).toBeVisible();
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
        // Some lead on to a page that another one is.
        if (!seen.has(page.url())) await expectAccessible(page, address(dsn));
        seen.add(page.url());
      }
    });

    test(`what opens over a page is accessible at ${size.viewport.width} px, ${colorScheme}`, async ({
      open,
      fleet,
    }) => {
      const { dsn } = fleet.find(isOnline);
      const page = await open('admin', { ...size, colorScheme });
      const shell = new Shell(page);
      await page.goto(`/devices/${dsn}`);
      const dialog = await new DeviceScreen(page).edit();
      await expect(dialog.save).toBeVisible();
      await expectAccessible(page, 'settings dialog');
      await dialog.cancel.click();

      await page.goto('/devices');
      await expect(new DeviceListScreen(page).heading).toBeVisible();
      if (size === PHONE) {
        await shell.openNavigation.click();
        await expect(shell.navigation).toBeVisible();
        await expectAccessible(page, 'navigation');
        await page.keyboard.press('Escape');
      }
      await shell.openAccount();
      await expectAccessible(page, 'account menu');
      await page.keyboard.press('Escape');
      await shell.openShortcuts();
      await expectAccessible(page, 'keyboard shortcuts');
      await page.keyboard.press('Escape');
      await expect(shell.shortcuts).toBeHidden();

      const list = new DeviceListScreen(page);
      const filter = await list.openFilter();
      await filter.field('Country').fill('US');
      await expectAccessible(page, 'filter dialog');
      await filter.apply.click();
      await expect(list.chip('Country')).toBeVisible();
      // Rows that wait for the answer are pale.
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await expectAccessible(page, 'chips of active filters');
    });
  }
}

test('forms with errors, empty lists and failures are accessible', async ({ open, frontProxy, guard }) => {
  guard.expect(404, /^\/api\/devices\/dsns\//);
  guard.expect(503, /^\/api\/devices$/);
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open('admin', { colorScheme, through: frontProxy });
    await page.goto('/signin');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByText('Email is required')).toBeVisible();
    await expectAccessible(page, `form with errors, ${colorScheme}`);
    await page.goto('/devices?dsn=NO-SUCH-DSN');
    await expect(page.getByText('No results')).toBeVisible();
    await expectAccessible(page, `empty list, ${colorScheme}`);
    await page.goto('/devices/AC000W999999999');
    await expect(new DeviceScreen(page).notFound).toBeVisible();
    await expectAccessible(page, `device not found, ${colorScheme}`);
    frontProxy.fail({ match: /^GET \/api\/devices\?/, status: 503 });
    await page.goto('/devices');
    await expect(page.getByText('Failed to load devices')).toBeVisible();
    await expectAccessible(page, `failed list, ${colorScheme}`);
    frontProxy.heal();
  }
});
