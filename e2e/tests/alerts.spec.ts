import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { ImportScreen } from '../screens/import';

const SUCCESS_MS = 5_000;
const FAILURE_MS = 10_000;

/** Everything but the last half second of an alert's time, then that. */
async function expectToLast(page: Page, alert: Locator, ms: number): Promise<void> {
  await expect(alert).toBeVisible();
  await page.clock.runFor(ms - 500);
  await expect(alert).toBeVisible();
  await page.clock.runFor(1_000);
  await expect(alert).toHaveCount(0);
}

test('an alert goes by itself: a success after five seconds, a failure after ten', async ({
  open,
  frontProxy,
  guard,
}) => {
  guard.expect(500, /^\/api\/import/);
  const page = await open('admin', { through: frontProxy });
  await page.clock.install();
  await page.goto('/import');
  const { download } = new ImportScreen(page);
  await download.click();
  await expectToLast(page, page.getByText('Successfully downloaded fragrances'), SUCCESS_MS);
  frontProxy.fail({ match: /^GET \/api\/import/, status: 500 });
  await download.click();
  await expectToLast(page, page.getByText('Failed to get fragrances'), FAILURE_MS);
});

test('what is not in the catalogue of errors is logged and shows no alert', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/(events|csps\/all)/);
  frontProxy.fail({ match: /^GET \/api\/csps\/all/, status: 500 });
  const page = await open('admin', { through: frontProxy });
  const logged: string[] = [];
  page.on('console', (message) => message.type() === 'error' && logged.push(message.text()));
  await page.goto('/devices');
  await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
  // The choices of a filter that the list can do without.
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect.poll(() => logged.some((text) => text.includes('500'))).toBe(true);
  await page.keyboard.press('Escape');
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('nobody expects this');
    });
  });
  await expect.poll(() => guard.offences.some((one) => one.includes('nobody expects this'))).toBe(true);
  guard.offences.length = 0;
  await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
  await expect(page.getByRole('alert')).toHaveCount(0);
});
