import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { DeviceFormScreen } from '../screens/device-form';
import { SignInScreen } from '../screens/sign-in';
import { UserFormScreen } from '../screens/user-form';

/** Checks that removing the classes of our own style sheets from `styled` changes the look of `part`. */
async function expectOwnStyle(part: Locator, name: string, styled = part): Promise<void> {
  const before = await part.screenshot({ animations: 'disabled' });
  await styled.evaluate((root) => {
    for (const element of [root, ...root.querySelectorAll('*')]) {
      for (const own of [...element.classList].filter((one) => one.startsWith('_'))) element.classList.remove(own);
    }
  });
  const after = await part.screenshot({ animations: 'disabled' });
  expect(after.equals(before), name).toBe(false);
}

test('forms, the sign-in page, its link and the cells of a schedule have styles of their own', async ({
  open,
  fleet,
}) => {
  const signIn = await open(null);
  await signIn.goto('/signin');
  await expect(new SignInScreen(signIn).heading).toBeVisible();
  const main = signIn.getByRole('main');
  await expectOwnStyle(signIn.getByRole('link', { name: /password/i }), 'link to a new password', main);
  await signIn.reload();
  await expectOwnStyle(main, 'sign-in page');

  const page = await open('admin');
  const form = (page: Page) => page.locator('form');
  await page.goto('/devices/add');
  await expect(new DeviceFormScreen(page).save).toBeVisible();
  await expectOwnStyle(form(page), 'device form');
  await page.goto('/users/invite');
  await expect(new UserFormScreen(page).invite).toBeVisible();
  await expectOwnStyle(form(page), 'user form');
  await page.goto(`/devices/${fleet.find(({ mode }) => mode === 4).dsn}/edit/schedule`);
  await expectOwnStyle(page.locator('[data-day] [data-intensity]').first(), 'cell of a schedule');
});

test('while the session is loading, the landing page has the brand and a style of its own', async ({
  open,
  frontProxy,
}) => {
  const page = await open('admin', { through: frontProxy });
  frontProxy.hold(/^GET \/api\/session/);
  await page.goto('/');
  const landing = page.getByRole('main');
  await expect(landing).toHaveAttribute('aria-busy', 'true');
  await expect(landing).toContainText('Sillage');
  await expectOwnStyle(landing, 'landing page');
});

test('the mark of a level fills one bar for each step', async ({ open, fleet }) => {
  const page = await open('admin');
  await page.goto(`/devices/${fleet.find(({ mode }) => mode === 3).dsn}`);
  const mark = page.locator('[data-step]').first();
  await expect(mark).toBeVisible();
  for (const step of [1, 2, 3, 4, 5]) {
    const colours = await mark.evaluate((mark, step) => {
      mark.setAttribute('data-bars', String(step));
      const bars = Array.from({ length: 6 }, () => mark.appendChild(document.createElement('i')));
      for (const bar of [...mark.children].filter((child) => !bars.includes(child as HTMLElement))) bar.remove();
      return bars.map((bar) => getComputedStyle(bar).backgroundColor);
    }, step);
    const empty = colours.at(-1);
    expect(colours.filter((colour) => colour !== empty)).toHaveLength(step);
  }
});
