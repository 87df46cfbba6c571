import { expect, type Page } from '@playwright/test';
import { DeviceListScreen } from './device-list';
import { DeviceScreen } from './device-page';
import { Shell } from './shell';

/** Waits until the page has its data and is live. */
export async function shown(page: Page): Promise<void> {
  await expect(new DeviceListScreen(page).heading.or(new DeviceScreen(page).heading).first()).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
  await expect(new Shell(page).live).toHaveText('Live');
}
