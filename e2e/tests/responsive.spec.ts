import type { Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { navigate } from '../harness/navigation';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { LANDSCAPE, PHONE } from '../screens/sizes';
import { NOT_FOUND, visitOf } from '../screens/visits';

async function expectNoSidewaysScrolling(page: Page, name: string): Promise<void> {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.body.clientWidth,
  ]);
  expect.soft(content, name).toBeLessThanOrEqual(window ?? 0);
}

/** Visits every page, the sign-out last. */
async function visitAll(page: Page, dsn: string, look: (address: string) => Promise<void>): Promise<void> {
  const routes = ROUTES.map(({ path }) => path).filter((path) => path !== '/signout');
  for (const { address, arrived } of [...routes.map(visitOf), NOT_FOUND, visitOf('/signout')]) {
    await navigate(page, address(dsn));
    await expect(arrived(page)).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await look(address(dsn));
  }
}

/** Doubles the root font size, and returns the texts that did not double with it. Initials in the avatar are a picture. */
function doubleText(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const hasText = (node: Node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim();
    const elements = [...document.body.querySelectorAll<HTMLElement>('*')].filter(
      (element) =>
        [...element.childNodes].some(hasText) && element.checkVisibility() && !element.closest('[aria-hidden=true]'),
    );
    const size = (element: Element) => Number.parseFloat(getComputedStyle(element).fontSize);
    const before = elements.map(size);
    document.documentElement.style.fontSize = '200%';
    return elements.flatMap((element, place) => {
      const [was = 0, is] = [before[place], size(element)];
      return is === 2 * was ? [] : [`${element.tagName} '${element.textContent}': ${was} px, then ${is} px`];
    });
  });
}

test('nothing is wider than a phone', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { ...PHONE, ownSession: true });
  await visitAll(page, dsn, (address) => expectNoSidewaysScrolling(page, address));
});

for (const [name, size] of [
  ['a phone', PHONE],
  ['a phone on its side', LANDSCAPE],
] as const) {
  test(`text of 200 % doubles every text, and nothing is wider than ${name}`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(isOnline);
    const page = await open('admin', { ...size, ownSession: true });
    await visitAll(page, dsn, async (address) => {
      expect.soft(await doubleText(page), address).toEqual([]);
      await expectNoSidewaysScrolling(page, `${address} at 200 %`);
      await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
    });
  });

  test(`the browser's text size of 200 % makes nothing wider than ${name}`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(isOnline);
    const page = await open('admin', { ...size, ownSession: true });
    const browser = await page.context().newCDPSession(page);
    await browser.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    await visitAll(page, dsn, async (address) => {
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px');
      await expectNoSidewaysScrolling(page, address);
    });
  });
}

test('dialogs and menus fit a phone at text of 200 %', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  for (const size of [PHONE, LANDSCAPE]) {
    const page = await open('admin', size);
    const browser = await page.context().newCDPSession(page);
    await browser.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    for (const [address, button] of [
      ['/devices', 'Report'],
      ['/devices', 'Filter'],
      ['/devices', 'Open navigation'],
      ['/devices', /^Account of /],
      [`/devices/${dsn}`, 'Settings'],
      [`/devices/${dsn}`, 'Add Notification'],
      [`/devices/${dsn}/edit/schedule`, 'Edit Schedule 1'],
    ] as const) {
      await page.goto(address);
      await page.getByRole('button', { name: button, exact: true }).first().tap();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNoSidewaysScrolling(page, `${button} at ${size.viewport.width} px`);
      const inside = await page.getByRole('dialog').evaluate((dialog) => [dialog.scrollWidth, dialog.clientWidth]);
      expect.soft(inside[0], `${button} at ${size.viewport.width} px`).toBeLessThanOrEqual(inside[1] ?? 0);
    }
  }
});

test('a phone on its side folds the navigation and shows the page', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { ...LANDSCAPE, ownSession: true });
  const shell = new Shell(page);
  await visitAll(page, dsn, async (address) => {
    await expect(shell.navigation, address).toBeHidden();
    await expect(page.getByRole('heading', { level: 1 }).first(), address).toBeInViewport();
    await expectNoSidewaysScrolling(page, address);
  });
});

test('the folded navigation of a phone on its side leads to a list with all details', async ({ open }) => {
  const page = await open('cspTech', LANDSCAPE);
  const shell = new Shell(page);
  await page.goto('/help');
  await shell.openNavigation.tap();
  await shell.navigation.getByRole('link', { name: 'Devices' }).tap();
  await expect(page).toHaveURL('/devices');
  await expect(shell.navigation).toBeHidden();
  const card = page.getByRole('main').getByRole('listitem').first();
  await expect(card).toBeInViewport();
  await expect(card).toContainText(/Online|Offline/);
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
