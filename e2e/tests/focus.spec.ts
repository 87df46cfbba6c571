import { ROUTES } from '../../web/src/app/paths';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { navigate } from '../harness/navigation';
import { DESK, PHONE } from '../screens/sizes';
import { visitOf } from '../screens/visits';

for (const [size, options] of [
  ['390 px', PHONE],
  ['1280 px', DESK],
] as const) {
  test(`after each navigation the focus is on the heading of the new page: ${size}`, async ({ open, fleet }) => {
    const page = await open('admin', options);
    const { dsn } = fleet.find(isOnline);
    await page.goto('/help');
    const heading = page.getByRole('main').getByRole('heading', { level: 1 });
    await expect(heading).toBeVisible();
    for (const { path } of ROUTES.filter(({ access }) => access === 'signed-in')) {
      const { address, arrived } = visitOf(path);
      await navigate(page, address(dsn));
      await expect(arrived(page)).toBeVisible();
      await expect(heading, path).toBeFocused();
    }

    await navigate(page, '/devices');
    const row = page.locator('tbody, li').locator('a[href^="/devices/"]').first();
    await row.focus();
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/\/devices\/\w+$/);
    await expect(heading).toBeFocused();
    await page.goBack();
    await expect(row).toBeFocused();
  });
}
