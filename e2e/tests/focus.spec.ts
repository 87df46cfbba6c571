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

test('Back closes what fills a phone, and asks about what was typed', async ({ open, fleet }) => {
  const page = await open('admin', PHONE);
  const { dsn } = fleet.find(isOnline);
  const dialog = page.getByRole('dialog');
  for (const [address, button] of [
    ['/devices', 'Report'],
    ['/devices', 'Filter'],
    ['/devices', 'Open navigation'],
    [`/devices/${dsn}`, 'Settings'],
    [`/devices/${dsn}`, 'Add Notification'],
    [`/devices/${dsn}/edit/schedule`, 'Edit Schedule 1'],
  ] as const) {
    await page.goto('/help');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await navigate(page, address);
    await page.getByRole('button', { name: button, exact: true }).first().tap();
    await expect(dialog, button).toBeVisible();
    await page.goBack();
    await expect(dialog, button).toHaveCount(0);
    await expect(page, button).toHaveURL(address);

    // One that its own button closed leaves no entry behind.
    await page.getByRole('button', { name: button, exact: true }).first().tap();
    await dialog.getByRole('button', { name: 'Close' }).first().tap();
    await expect(dialog, button).toHaveCount(0);
    // The console goes back by itself just after the dialog has closed.
    await expect.poll(() => page.evaluate(() => history.state.dialogs ?? 0), button).toBe(0);
    await page.goBack();
    await expect(page, button).toHaveURL('/help');
  }

  await navigate(page, `/devices/${dsn}`);
  await page.getByRole('button', { name: 'Add Notification' }).tap();
  const address = dialog.getByRole('textbox').first();
  await address.fill('reception@example.com');
  await page.goBack();
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await expect(question).toBeVisible();
  await question.getByRole('button', { name: 'Stay' }).tap();
  await expect(address).toHaveValue('reception@example.com');
  await page.goBack();
  await question.getByRole('button', { name: 'Leave' }).tap();
  await expect(dialog).toHaveCount(0);
  await expect(page).toHaveURL(`/devices/${dsn}`);
});
