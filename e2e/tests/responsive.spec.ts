import type { Page } from '@playwright/test';
import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { navigate } from '../harness/navigation';
import { CspFormScreen } from '../screens/csps';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { FleetScreen } from '../screens/fleet';
import { ImportScreen } from '../screens/import';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { LANDSCAPE, PHONE } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';
import { NOT_FOUND, visitOf } from '../screens/visits';

// Two tests change devices of one CSP, of which the shared fleet has few.
test.use({ world: 'responsive' });

/** Checks the width of the page. Content that is too wide widens the page, or on a phone the viewport, which zooms out. */
async function expectNoSidewaysScrolling(page: Page, name: string): Promise<void> {
  const content = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, window.innerWidth));
  expect.soft(content, name).toBeLessThanOrEqual(page.viewportSize()?.width ?? 0);
}

/** Scrolls through the page, which loads its lazy parts. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
}

/** Visits every page; the sign-out comes last. */
async function visitAll(page: Page, dsn: string, look: (address: string) => Promise<void>): Promise<void> {
  const routes = ROUTES.map(({ path }) => path).filter((path) => path !== '/signout');
  for (const { address, arrived } of [...routes.map(visitOf), NOT_FOUND, visitOf('/signout')]) {
    await navigate(page, address(dsn));
    await expect(arrived(page)).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await look(address(dsn));
  }
}

/** Doubles the root font size and returns the texts that did not double. The initials in the avatar count as a picture. */
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

/** Sets the text size like the browser's own setting. */
async function setTextSize(page: Page, percent: number): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 0.16 * percent, fixed: 0.13 * percent } });
}

for (const [name, size, percent] of [
  ['390 px', PHONE, 100],
  ['844 px landscape', LANDSCAPE, 100],
  ['390 px, text of 200 %', PHONE, 200],
  ['844 px landscape, text of 200 %', LANDSCAPE, 200],
] as const) {
  test(`no page is wider than its viewport: ${name}`, async ({ open, fleet, people }) => {
    const { dsn } = fleet.find(isOnline);
    const api = await people.api('admin');
    const [csp] = await (await api.get('/api/csps/all')).json();
    const { users } = await (await api.get('/api/users')).json();
    const page = await open('admin', { ...size, ownSession: true });
    await setTextSize(page, percent);
    const look = async (state: string) => {
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe(
        `${0.16 * percent}px`,
      );
      await scrollThrough(page);
      await expectNoSidewaysScrolling(page, state);
    };

    await page.goto(`/csps/${csp.id}`);
    await expect(new CspFormScreen(page).save).toBeVisible();
    await look('a CSP');
    await page.goto(`/users/${users[0].id}`);
    await expect(new UserFormScreen(page).save).toBeVisible();
    await look('a user');
    await page.goto('/import');
    await new ImportScreen(page).choose(['Fragrance,SKU', `${'Long name '.repeat(20)},1`, 'short,1,1']);
    await expect(new ImportScreen(page).errors).toBeVisible();
    await look('errors of an import');
    await page.goto(`/devices/${dsn}`);
    const { history } = new DeviceScreen(page);
    await expect(new DeviceScreen(page).product('Mode')).toBeVisible();
    await look('a device');
    await expect(history.charts).toHaveCount(4);
    await history.asTable.click();
    await expect(history.table).toBeVisible();
    await look('a history as a table');

    await visitAll(page, dsn, look);
  });
}

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
}

test('dialogs and menus fit a phone at text of 200 %', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  for (const size of [PHONE, LANDSCAPE]) {
    const page = await open('admin', size);
    await setTextSize(page, 200);
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

test('a phone in landscape collapses the navigation and shows the page', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { ...LANDSCAPE, ownSession: true });
  const shell = new Shell(page);
  await visitAll(page, dsn, async (address) => {
    await expect(shell.navigation, address).toBeHidden();
    await expect(page.getByRole('heading', { level: 1 }).first(), address).toBeInViewport();
    await expectNoSidewaysScrolling(page, address);
  });
});

test('a phone in landscape shows two rows of the list below its chips, without scrolling', async ({ open, fleet }) => {
  const { city } = fleet.find((device) => fleet.devices.filter((other) => other.city === device.city).length > 1);
  const page = await open('admin', LANDSCAPE);
  for (const address of ['/devices', `/devices?${new URLSearchParams({ city: city ?? '' })}`]) {
    await navigate(page, address);
    const rows = page.getByRole('main').getByRole('listitem');
    await expect(rows.nth(1)).toBeInViewport({ ratio: 1 });
    await expect(rows.first()).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('group', { name: 'Quick filters' })).toBeInViewport({ ratio: 1 });
    await expect(page.getByRole('button', { name: 'Near me' })).toBeInViewport({ ratio: 1 });
    expect(await page.evaluate(() => window.scrollY), address).toBe(0);
    await expectNoSidewaysScrolling(page, address);
  }
  await expect(page.getByRole('button', { name: /^Remove filter City/ })).toBeInViewport({ ratio: 1 });
});

test('a phone shows the sums of the fleet without scrolling, and its charts in its width', async ({ open, people }) => {
  const api = await people.api('admin');
  await expect.poll(async () => (await (await api.get('/api/fleet/history')).json()).sums).not.toBeNull();
  const page = await open('admin', PHONE);
  await page.goto('/fleet');
  const fleet = new FleetScreen(page);
  const sums = fleet.block('Sums');
  await expect(sums.getByText('Empty at the end', { exact: true })).toBeInViewport({ ratio: 1 });
  for (const figure of await sums.getByRole('definition').all()) await expect(figure).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => window.scrollY)).toBe(0);

  const chart = fleet.block('Devices online by hour');
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.viewport.width);
  await expectNoSidewaysScrolling(page, 'the fleet');
});

test('the collapsed navigation of a phone in landscape opens a list with all details', async ({ open }) => {
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
  await new DeviceListScreen(page).search.fill(dsn);
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
  await tabTo(page, page.getByRole('dialog').getByRole('slider', { name: 'Intensity' }));
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await tabTo(page, page.getByRole('button', { name: 'Save' }));
  await page.keyboard.press('Enter');
  await expect(screen.product('Intensity')).toContainText(wanted);
  await expect(screen.command('Intensity')).toHaveCount(0);

  // Closing the dialog returns the focus to its button.
  await expect(screen.settings).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
