import type { Page } from '@playwright/test';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { DeviceFormScreen, type SelectLabel, type TextLabel } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';

test.use({ world: 'keyboard' });

async function type(page: Page, label: TextLabel, text: string): Promise<void> {
  await tabTo(page, new DeviceFormScreen(page).text(label));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

/** Chooses an option by typing the beginning of its name. */
async function choose(page: Page, label: SelectLabel, text: string): Promise<void> {
  const select = new DeviceFormScreen(page).select(label);
  await tabTo(page, select);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
  // The typed text alone already looks like a choice.
  await expect(page.getByRole('option', { name: text, exact: true })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(select).toHaveAttribute('aria-expanded', 'false');
  await expect(select).toHaveValue(text);
}

test('a device can be added, edited and viewed by keyboard', async ({ open, people, system }) => {
  const dsn = system.claimStock();
  const page = await open('cspTech');
  await page.goto('/devices');
  await tabTo(page, new DeviceListScreen(page).addDevice);
  await page.keyboard.press('Enter');
  const form = new DeviceFormScreen(page);
  await tabTo(page, form.save);
  await page.keyboard.press('Enter');
  await expect(form.text('Customer')).toBeFocused();
  await expectAccessible(page, 'add form with errors');
  await page.keyboard.type('Harbor Hotels');
  await type(page, 'Service Area', 'Lobby');
  await type(page, 'Serial Number', 'PL-20310');
  await type(page, 'DSN', dsn);
  await choose(page, 'Fragrance', 'Amber Library');
  await choose(page, 'Time Zone', 'America/Chicago');
  await choose(page, 'Country', 'United States');
  await type(page, 'City', 'Milwaukee');
  await tabTo(page, form.save);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/devices/${dsn}`);

  const screen = new DeviceScreen(page);
  await tabTo(page, screen.editDevice);
  await page.keyboard.press('Enter');
  await type(page, 'Store Number', 'S-17');
  await page.keyboard.press('Escape');
  await tabTo(page, form.cancel);
  await page.keyboard.press('Enter');
  await expect(form.leave).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(form.leave).toBeHidden();
  await expect(form.text('Store Number')).toHaveValue('S-17');
  await tabTo(page, form.save);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect((await readDevice(await people.api('cspTech'), dsn)).storeNumber).toBe('S-17');

  await tabTo(page, screen.resetLevel);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'Updated Fragrance Level' })).toBeVisible();
  await tabTo(page, screen.back);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL('/devices');
});
