import type { Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { navigate } from '../harness/navigation';
import { exposedTexts, translate } from '../harness/translation';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { PLACES } from '../screens/late-parts';
import { alert } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { NOT_FOUND, visitOf } from '../screens/visits';

// A page that breaks shows its error instead, and fails the test.
const expectWhole = async (page: Page, place: string) => expect(await exposedTexts(page), place).toEqual([]);

for (const size of [PHONE, DESK]) {
  test(`every page goes on when the browser translates it: ${size.viewport.width} px`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(isOnline);
    const page = await open('admin', { ...size, ownSession: true });
    await translate(page);
    // The sign-out must come last.
    const routes = ROUTES.map(({ path }) => path).sort((a, b) => Number(a === '/signout') - Number(b === '/signout'));
    for (const { address, arrived } of [...routes.map(visitOf), NOT_FOUND]) {
      await navigate(page, address(dsn));
      await expect(arrived(page).first()).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await expectWhole(page, address(dsn));
    }
  });
}

test('every dialog and late part of a page goes on when the browser translates it', async ({ open, fleet }) => {
  const { dsn } = fleet.find((device) => isOnline(device) && device.mode === 4);
  const page = await open('admin', DESK);
  await translate(page);
  await page.goto('/help');
  for (const { address, open: show, parts } of PLACES) {
    await navigate(page, address.replace('DSN', dsn));
    await show(page);
    for (const [name, { loaded }] of Object.entries(parts)) await expect(loaded(page).first(), name).toBeVisible();
    await expectWhole(page, Object.keys(parts).join());
    const dialog = page.getByRole('dialog');
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  }
});

test('a translated page shows what changes on it', async ({ open, fleet }) => {
  const { dsn } = fleet.claim(({ csp, mode, cycle }) => csp === 'Meridian Air' && mode === 3 && cycle !== 1);
  const page = await open('admin', DESK);
  await translate(page);
  const list = new DeviceListScreen(page);
  await page.goto('/devices');
  await expect(list.heading).toBeVisible();
  await list.search.fill('no such device');
  await expect(list.footer('Devices 0 - 0 of 0')).toBeVisible();
  await list.search.fill(dsn);
  await expect(list.footer('Devices 1 - 1 of 1')).toBeVisible();

  await navigate(page, `/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  await dialog.choose('Off-cycle', 'Very Short (30 Sec)');
  await dialog.choose('Fan Speed', '3');
  await dialog.save.click();
  await expect(alert(page, 'Successfully updated')).toBeVisible();
  await expect(screen.product('Off-cycle')).toContainText('Very Short (30 Sec)');
  await expect(screen.product('Fan Speed')).toContainText('3');
  await expectWhole(page, 'the device');
});
