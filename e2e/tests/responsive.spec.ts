import type { Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { PHONE } from '../screens/sizes';
import { NOT_FOUND, visitOf } from '../screens/visits';

async function expectNoSidewaysScrolling(page: Page, name: string): Promise<void> {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.body.clientWidth,
  ]);
  expect.soft(content, name).toBeLessThanOrEqual(window ?? 0);
}

test('nothing is wider than a phone', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { ...PHONE, ownSession: true });
  const routes = ROUTES.map(({ path }) => path).filter((path) => path !== '/signout');
  for (const { address, arrived } of [...routes.map(visitOf), NOT_FOUND, visitOf('/signout')]) {
    await page.goto(address(dsn));
    await expect(arrived(page)).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expectNoSidewaysScrolling(page, address(dsn));
  }
});

test('a technician with a phone finds a device and turns it down', async ({ open, fleet }) => {
  const { dsn, serialNumber } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const page = await open('cspTech', PHONE);
  const shell = new Shell(page);
  const screen = new DeviceScreen(page);
  await page.goto(`/devices/${dsn}`);
  await expect(screen.heading).toBeVisible();
  await expect(shell.navigation).toBeHidden();
  await shell.openNavigation.tap();
  await shell.navigation.getByRole('link', { name: 'Devices' }).tap();
  await expect(page).toHaveURL('/devices');
  await expect(shell.navigation).toBeHidden();

  await expect(page.getByRole('table')).toHaveCount(0);
  const cards = page.getByRole('main').getByRole('listitem');
  await expect(cards).toHaveCount(5);
  await page.getByRole('button', { name: 'Next page' }).tap();
  await expect(new DeviceListScreen(page).footer(`Devices 6 - 10 of ${fleet.of('Meridian Air').length}`)).toBeVisible();
  await new DeviceListScreen(page).dsnFilter.fill(dsn);
  await expect(cards).toHaveCount(1);
  await cards.getByRole('link', { name: serialNumber ?? dsn }).tap();

  const dialog = await screen.edit();
  await expect(dialog.save).toBeInViewport();
  await expectNoSidewaysScrolling(page, 'settings dialog');
  const wanted = (await dialog.intensity.inputValue()) === '5' ? '6' : '5';
  await dialog.intensity.fill(wanted);
  await dialog.save.tap();
  await expect(screen.product('Intensity')).toContainText(wanted);
  await expect(screen.command('Intensity')).toHaveCount(0);
});

test('the keyboard is enough to sign in and change an intensity', async ({ open, people, fleet }) => {
  const { dsn, serialNumber } = fleet.claim(({ csp, intensity }) => csp === 'Meridian Air' && (intensity ?? 50) < 40);
  const { email, password } = people.account('cspAdmin');
  const page = await open(null);
  await page.goto(`/devices?dsn=${dsn}`);
  await tabTo(page, new SignInScreen(page).email);
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');

  await tabTo(page, page.getByRole('link', { name: serialNumber ?? dsn }));
  await page.keyboard.press('Enter');
  const screen = new DeviceScreen(page);
  await tabTo(page, screen.settings);
  await page.keyboard.press('Enter');

  const { intensity } = await readDevice(await people.api('cspAdmin'), dsn);
  const wanted = String((intensity ?? 0) + 2);
  await tabTo(page, page.getByRole('slider', { name: 'Intensity' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, page.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await expect(screen.product('Intensity')).toContainText(wanted);
  await expect(screen.command('Intensity')).toHaveCount(0);

  // What was open when a dialog closes has the focus again.
  await expect(screen.settings).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
