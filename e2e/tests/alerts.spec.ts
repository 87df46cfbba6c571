import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { DeviceScreen } from '../screens/device-page';
import { ImportScreen } from '../screens/import';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

const SUCCESS_MS = 5_000;
const FAILURE_MS = 10_000;

/** Checks that the alert is visible until half a second before the end of its time, and then disappears. */
async function expectToLast(page: Page, alert: Locator, ms: number): Promise<void> {
  await expect(alert).toBeAttached();
  await page.clock.runFor(ms - 500);
  await expect(alert).toBeVisible();
  await page.clock.runFor(1_000);
  await expect(alert).toHaveCount(0);
}

/** Messages of the browser, and of Playwright when it blocks service workers. */
const FOREIGN_LINES = /^(Failed to load resource|Service Worker registration blocked)/;

/** Warnings and errors that the application logs from now on. */
function applicationLog(page: Page): string[] {
  const lines: string[] = [];
  page.on('console', (message) => {
    const isOurs = ['warning', 'error'].includes(message.type()) && !FOREIGN_LINES.test(message.text());
    if (isOurs) lines.push(message.text());
  });
  return lines;
}

test('alerts disappear by themselves: a success after five seconds, a failure after ten', async ({
  open,
  frontProxy,
  guard,
}) => {
  guard.expect(500, /^\/api\/import/);
  const page = await open('admin', { through: frontProxy });
  await page.clock.install();
  await page.goto('/import');
  const { download } = new ImportScreen(page);
  await expect(download).toBeEnabled();
  // Otherwise the clock runs on by itself while the test looks at an alert.
  await page.clock.pauseAt(Date.now() + 5_000);
  await download.click();
  await expectToLast(page, page.getByText('Successfully downloaded fragrances'), SUCCESS_MS);
  frontProxy.fail({ match: /^GET \/api\/import/, status: 500 });
  await download.click();
  await expectToLast(page, page.getByText('Failed to get fragrances'), FAILURE_MS);
});

test('an error outside the error catalogue is logged and shows no alert', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/(events|csps\/all)/);
  frontProxy.fail({ match: /^GET \/api\/csps\/all/, status: 500 });
  const page = await open('admin', { through: frontProxy });
  const logged = applicationLog(page);
  await page.goto('/users');
  await expect(page.getByRole('table', { name: 'Users' })).toBeVisible();
  expect(logged).toEqual([]);
  // The list works without the options of this filter.
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect.poll(() => logged).toEqual(['Reading csps/all failed: 500 unknown']);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(logged).toHaveLength(1);
});

test('an error that breaks a page is logged once with its cause, and the error page links back', async ({
  open,
  guard,
}) => {
  const page = await open('admin');
  const logged = applicationLog(page);
  // An invalid response: the page cannot be rendered.
  await page.route(/\/api\/csps\?/, (route) => route.fulfill({ json: {} }));
  await page.goto('/devices');
  await new Shell(page).navigation.getByRole('link', { name: 'CSPs' }).click();
  await expect(page.getByRole('heading', { name: 'Something went wrong', level: 1 })).toBeVisible();
  await expectAccessible(page, 'error page');
  await expect.poll(() => logged).toEqual([expect.stringMatching(/^Unexpected error: TypeError: .+\n +at /)]);
  expect(guard.offences).toHaveLength(1);
  guard.offences.length = 0;
  await page.getByRole('link', { name: 'Go to Devices' }).click();
  await expect(page).toHaveURL('/devices');
  await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
  expect(logged).toHaveLength(1);
});

for (const [source, fail] of [
  [
    'a timer',
    () =>
      setTimeout(() => {
        throw new Error('nobody expects this');
      }),
  ],
  ['a promise', () => void Promise.reject(new Error('nobody expects this'))],
] as const) {
  test(`an uncaught error of ${source} is logged once with its cause, and the error page links back`, async ({
    open,
    guard,
  }) => {
    const page = await open('admin');
    const logged = applicationLog(page);
    await page.goto('/devices');
    await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
    await page.evaluate(fail);
    await expect(page.getByRole('heading', { name: 'Something went wrong', level: 1 })).toBeVisible();
    expect(logged).toEqual([expect.stringMatching(/^Unexpected error: Error: nobody expects this\n +at /)]);
    // The browser does not log it, too.
    expect(guard.offences).toHaveLength(1);
    guard.offences.length = 0;
    await page.getByRole('link', { name: 'Go to Devices' }).click();
    await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
    expect(logged).toHaveLength(1);
  });
}

for (const size of [PHONE, DESK]) {
  test(`alerts cover no title and no close button, and a success removes the failure, at ${size.viewport.width} px`, async ({
    open,
    fleet,
    frontProxy,
    guard,
  }) => {
    guard.expect(500, /\/settings$/);
    const { dsn } = fleet.claim((device) => isOnline(device) && device.fan !== 3);
    const page = await open('admin', { ...size, through: frontProxy });
    const heal = frontProxy.fail({ match: /^PUT .*\/settings$/, status: 500 });
    const screen = new DeviceScreen(page);
    await page.goto(`/devices/${dsn}`);
    const dialog = await screen.edit();
    await dialog.choose('Fan Speed', '3');
    await dialog.save.click();
    const failure = page.getByRole('alert').filter({ hasText: 'Failed to save device settings' });
    await expect(failure).toBeVisible();
    await expectApart(failure, dialog.root.getByRole('heading', { name: 'Device Settings' }));
    await expectApart(failure, dialog.root.getByRole('button', { name: 'Close', exact: true }));
    heal();
    await dialog.save.click();
    const success = page.getByRole('alert').filter({ hasText: 'Successfully updated device settings' });
    await expect(success).toBeVisible();
    await expect(failure).toHaveCount(0);
    await expectApart(success, screen.heading);
    await page.goto('/import');
    const { download, heading } = new ImportScreen(page);
    await download.click();
    await expect(page.getByRole('alert')).toBeVisible();
    await expectApart(page.getByRole('alert'), heading);
  });
}

/** Checks that two elements do not overlap. */
async function expectApart(one: Locator, other: Locator): Promise<void> {
  await expect(other).toBeVisible();
  const [a, b] = [await one.boundingBox(), await other.boundingBox()];
  if (!a || !b) throw new Error('one of the two is not on the page');
  const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
  expect(apart, `${JSON.stringify(a)} covers ${JSON.stringify(b)}`).toBe(true);
}
