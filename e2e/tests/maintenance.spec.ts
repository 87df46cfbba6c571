import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { Sillage } from '../harness/sillage';
import { SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';

const MESSAGE = 'Down tonight from 22:00 to <b>23:00</b> & back by midnight.';

test('the maintenance banner is hidden by default', async ({ open }) => {
  for (const person of ['admin', null] as const) {
    const page = await open(person);
    await page.goto('/');
    await expect(page.getByRole('main')).toBeVisible();
    await expect(page.locator('#maintenance')).toBeAttached();
    await expect(page.locator('#maintenance')).toBeHidden();
  }
});

test('a maintenance message is shown above every page, as plain text', async ({ browser }) => {
  const system = await Sillage.start({ devices: 2, seed: 7, unplugged: [], maintenance: MESSAGE });
  try {
    for (const [size, colorScheme] of [
      [PHONE, 'dark'],
      [DESK, 'light'],
    ] as const) {
      const context = await browser.newContext({ ...size, colorScheme, baseURL: system.console });
      const page = await context.newPage();
      const banner = page.getByRole('complementary', { name: 'Maintenance' });
      await page.goto('/no-such-page');
      await expect(banner).toHaveText(MESSAGE);
      await page.goto('/signin');
      await expect(banner).toHaveText(MESSAGE);
      const [admin] = system.accounts;
      if (admin) await new SignInScreen(page).signIn(admin);
      await expect(page).toHaveURL('/devices');
      await expect(banner).toBeInViewport();
      await expectAccessible(page, '/devices with a maintenance message');
      await context.close();
    }
  } finally {
    await system.stop();
  }
});
