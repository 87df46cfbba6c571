import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { ScheduleScreen } from '../screens/schedule-page';
import { Shell } from '../screens/shell';
import { shown } from '../screens/shown';
import { SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';

const FOLDER = resolve(process.env.INIT_CWD ?? '.', process.env.SHOTS ?? '');

mkdirSync(FOLDER, { recursive: true });

/** Captures the whole page. Playwright's `fullPage` would reset the emulated touch. */
async function shootAll(page: Page, path: string): Promise<void> {
  const before = page.viewportSize();
  if (!before) return;
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...before, height: Math.max(height, before.height) });
  await page.screenshot({ path });
  await page.setViewportSize(before);
}

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of [PHONE, DESK]) {
    test(`${size.viewport.width} px, ${colorScheme}`, async ({ open, fleet, people }) => {
      const file = (name: string) => join(FOLDER, `${name}-${size.viewport.width}-${colorScheme}.png`);
      const { dsn } = fleet.find((device) => isOnline(device) && device.mode === 4);
      const offline = fleet.claimUnplugged();
      const page = await open('admin', { ...size, colorScheme });

      await page.goto('/signin');
      await expect(new SignInScreen(page).heading).toBeVisible();
      await page.screenshot({ path: file('signin') });

      await page.goto('/devices?page_size=25');
      await shown(page);
      await page.screenshot({ path: file('devices') });
      const list = new DeviceListScreen(page);
      await page.goto('/devices?city=o&country=US&model=AQ290');
      await shown(page);
      await page.screenshot({ path: file('devices-chips') });
      const filter = await list.openFilter();
      await expect(filter.apply).toBeVisible();
      await page.screenshot({ path: file('filter') });
      await filter.cancel.click();
      await page.keyboard.press('?');
      await new Shell(page).shortcuts.waitFor();
      await page.screenshot({ path: file('shortcuts') });
      await page.goto('/devices?dsn=NO-SUCH-DSN');
      await shown(page);
      await page.screenshot({ path: file('devices-empty') });
      if (size === PHONE) {
        await new Shell(page).openNavigation.click();
        await expect(new Shell(page).navigation).toBeVisible();
        await page.screenshot({ path: file('navigation') });
      }

      await page.goto(`/devices/${dsn}`);
      await shown(page);
      const { history } = new DeviceScreen(page);
      await history.lookAt();
      await expect(history.charts).toHaveCount(3);
      await shootAll(page, file('device'));
      await history.asTable.click();
      await expect(history.table).toBeVisible();
      await history.root.screenshot({ path: file('device-history-table') });
      const dialog = await new DeviceScreen(page).edit();
      await expect(dialog.save).toBeVisible();
      await page.screenshot({ path: file('settings') });

      for (const [name, address] of [
        ['add-device', '/devices/add'],
        ['edit-device', `/devices/${dsn}/edit`],
      ] as const) {
        await page.goto(address);
        await expect(new DeviceFormScreen(page).save).toBeVisible();
        await shown(page);
        await shootAll(page, file(name));
      }

      await page.goto(`/devices/${dsn}/edit/schedule`);
      const schedule = new ScheduleScreen(page);
      await expect(schedule.save).toBeVisible();
      await shown(page);
      await shootAll(page, file('schedule'));
      const frame = await schedule.edit(5);
      await frame.enable(true);
      await frame.enter('End Time', '11:59 PM');
      await page.screenshot({ path: file('schedule-frame') });
      await frame.done.click();
      await expect(schedule.conflicts.root).toBeVisible();
      await page.screenshot({ path: file('schedule-conflicts') });
      await schedule.conflicts.disableOthers.click();
      await expect(schedule.conflicts.root).toBeHidden();
      await shootAll(page, file('schedule-changed'));
      await schedule.cancel.click();
      await schedule.leave.getByRole('button', { name: 'Leave' }).click();

      for (const [name, address] of [
        ['attention', '/attention'],
        ['attention-settings', '/attention/settings'],
        ['audit', '/audit'],
        ['account', '/account'],
        ['account-time-format', '/account?tab=time-format'],
      ] as const) {
        await page.goto(address);
        await shown(page);
        await shootAll(page, file(name));
      }

      const api = await people.api('admin');
      await api.put(`/api/devices/dsns/${offline.dsn}/settings`, { data: { intensity: 12, fan: 1 } });
      await page.goto(`/devices/${offline.dsn}`);
      await shown(page);
      await history.lookAt();
      // This device was never plugged in.
      await expect(history.charts).toHaveCount(2);
      await shootAll(page, file('device-pending'));

      await page.goto('/no/such/page');
      await expect(page.getByText('Page not found')).toBeVisible();
      await page.screenshot({ path: file('not-found') });
    });
  }
}
