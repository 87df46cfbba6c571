import type { Page } from '@playwright/test';
import { findViolations } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { SignInScreen } from '../screens/sign-in';

const throwLater = (page: Page) =>
  page.evaluate(() => {
    setTimeout(() => {
      throw new Error('on purpose');
    });
  });

// Other tests rely on the guard, so these tests check that it detects offences.
const OFFENCES: Record<string, (page: Page) => Promise<unknown>> = {
  'CSP: style-src': (page) =>
    page.evaluate(() => {
      document.body.append(Object.assign(document.createElement('style'), { textContent: 'body { color: red }' }));
    }),
  'console: Unexpected error: Error: on purpose': throwLater,
  'console: on purpose': (page) => page.evaluate(() => console.error('on purpose')),
  'console: Failed to load resource': (page) => page.evaluate(() => fetch('/api/devices')),
  'foreign request: http://127.0.0.1:9/': (page) =>
    page.evaluate(() => {
      location.href = 'http://127.0.0.1:9/';
    }),
};

for (const [offence, commit] of Object.entries(OFFENCES)) {
  test(`the guard notices '${offence}'`, async ({ open, guard }) => {
    const page = await open(null);
    await page.goto('/signin');
    await expect(new SignInScreen(page).heading).toBeVisible();
    await commit(page);
    await expect.poll(() => guard.offences.some((one) => one.startsWith(offence))).toBe(true);
    guard.offences.length = 0;
  });
}

test('the guard notices an error before the application watches for errors', async ({ open, guard }) => {
  await throwLater(await open(null));
  await expect.poll(() => guard.offences.some((one) => one.startsWith('uncaught: Error: on purpose'))).toBe(true);
  guard.offences.length = 0;
});

test('axe notices a button without a name', async ({ open }) => {
  const page = await open(null);
  await page.goto('/signin');
  await expect(new SignInScreen(page).heading).toBeVisible();
  expect(await findViolations(page)).toEqual([]);
  await page.evaluate(() => document.querySelector('main')?.append(document.createElement('button')));
  expect((await findViolations(page)).map((barrier) => barrier.split(' ')[0])).toContain('button-name');
});
