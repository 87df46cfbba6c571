import type { Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { release } from '../harness/release';
import { Shell } from '../screens/shell';

const MISSING = 'This part of the page could not be loaded';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });
const tab = (page: Page, name: string) => page.getByRole('tab', { name }).click();

interface Part {
  address: string;
  /** The beginning of the name of its file. */
  file: string;
  open: (page: Page) => Promise<void>;
  /** A field or button of the loaded part. */
  loaded: (page: Page) => ReturnType<Page['getByRole']>;
}

/** The parts of signed-in pages whose code is loaded when they are opened. */
const PARTS: Part[] = [
  {
    address: '/devices',
    file: 'FilterForm',
    open: (page) => button(page, 'Filter').click(),
    loaded: (page) => dialog(page, 'Filter devices').getByRole('button', { name: 'Apply' }),
  },
  {
    address: '/devices',
    file: 'ReportForm',
    open: (page) => button(page, 'Report').click(),
    loaded: (page) => dialog(page, 'Report').getByRole('button', { name: 'Generate' }),
  },
  {
    address: '/devices',
    file: 'BulkEditPanel',
    open: (page) => button(page, 'Bulk Edit Details').click(),
    loaded: (page) => page.getByRole('region', { name: 'Bulk Edit Details' }).getByRole('button', { name: 'Save' }),
  },
  {
    address: '/devices',
    file: 'ShortcutKeys',
    open: async (page) => {
      await new Shell(page).openAccount();
      await button(page, 'Keyboard shortcuts').click();
    },
    loaded: (page) => new Shell(page).shortcuts.getByRole('switch'),
  },
  {
    address: '/devices/DSN',
    file: 'OpenedNotification',
    open: (page) => button(page, 'Add Notification').click(),
    loaded: (page) => page.getByRole('dialog').getByRole('button', { name: 'Save' }),
  },
  {
    address: '/account',
    file: 'SecondFactorTab',
    open: (page) => tab(page, 'Two-Step Sign-In'),
    loaded: (page) => button(page, 'Set up an authenticator app'),
  },
];

test('every part whose code could not be loaded opens after Retry', async ({ open, fleet, guard }) => {
  guard.expect('broken', /^\/assets\//);
  const page = await open('admin');
  for (const { address, file, open: openPart, loaded } of PARTS) {
    await page.goto(address.replace('DSN', fleet.claim().dsn));
    await page.route(`**/assets/${file}*`, (route) => route.abort());
    await openPart(page);
    await expect(page.getByRole('alert').filter({ hasText: MISSING })).toBeVisible();
    await page.unrouteAll();
    await button(page, 'Retry').click();
    await expect(loaded(page)).toBeVisible();
  }
});

test('after a release below an open tab, every part opens after Reload, and the page says why', async ({
  open,
  fleet,
  guard,
}) => {
  guard.expect(404, /^\/assets\//);
  const page = await open('admin');
  for (const { address, open: openPart, loaded } of PARTS) {
    await page.goto(address.replace('DSN', fleet.claim().dsn));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await release(page);
    await openPart(page);
    const notice = page.getByRole('alert').filter({ hasText: 'Sillage was updated.' });
    await notice.getByRole('button', { name: 'Reload' }).click();
    await openPart(page);
    await expect(loaded(page)).toBeVisible();
    await expect(page.getByText('Sillage was updated.')).toHaveCount(0);
    await page.unrouteAll();
  }
});

test('after a release, the next navigation loads the new application, unless changes are not saved', async ({
  open,
  fleet,
}) => {
  const page = await open('admin');
  await page.goto(`/devices/${fleet.claim().dsn}/edit`);
  await page.getByRole('textbox', { name: 'Customer', exact: true }).fill('Hotel');
  await release(page);
  // The next response of the server names its release.
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await expect(page.getByRole('status').filter({ hasText: 'Sillage was updated.' })).toBeVisible();
  await new Shell(page).navigation.getByRole('link', { name: 'Users' }).click();
  await button(page, 'Stay').click();
  await expect(page.getByRole('textbox', { name: 'Customer', exact: true })).toHaveValue('Hotel');

  const loaded = page.waitForEvent('domcontentloaded');
  await new Shell(page).navigation.getByRole('link', { name: 'Users' }).click();
  await button(page, 'Leave').click();
  await loaded;
  await expect(page.getByRole('heading', { name: 'Users', level: 1 })).toBeVisible();
  await expect(page.getByText('Sillage was updated.')).toHaveCount(0);
});
