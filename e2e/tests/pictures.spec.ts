import { readdirSync, writeFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { isOnline } from '../harness/fleet';
import { cspOf } from '../harness/people';
import { inRepository } from '../harness/repository';
import { ScheduleScreen } from '../screens/schedule-page';
import { shown } from '../screens/shown';
import { DESK, PHONE } from '../screens/sizes';

const LIGHT = { colorScheme: 'light' } as const;
/** Size of the picture in the README. */
const CANVAS = { width: 1600, height: 1000 };
const QUALITY = 75;

/** Small enough that the repository does not grow with every change of the pages. */
const MAX_BYTES = 150_000;
/** With `PICTURES`, as `make shots` sets it, the pictures of the documentation are replaced. Without, they are only made. */
const FOLDER = process.env.PICTURES;

/** A picture in WebP, which Playwright cannot make by itself. */
async function picture(page: Page): Promise<Buffer> {
  const chromium = await page.context().newCDPSession(page);
  const { data } = await chromium.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await chromium.detach();
  return Buffer.from(data, 'base64');
}

async function shoot(page: Page, name: string): Promise<void> {
  const bytes = await picture(page);
  expect(bytes.length, `bytes of ${name}`).toBeLessThan(MAX_BYTES);
  expect(readdirSync(inRepository('docs/images'))).toContain(`${name}.webp`);
  if (FOLDER) {
    writeFileSync(inRepository(`${FOLDER}/${name}.webp`), bytes);
  }
}

test('devices.webp shows the device list of a partner', async ({ open }) => {
  const page = await open('cspAdmin', { ...DESK, ...LIGHT });
  await page.goto('/devices?page_size=25');
  await shown(page);
  await shoot(page, 'devices');
});

test('device-phone.webp shows a device on the phone of a technician', async ({ open, fleet }) => {
  const csp = cspOf('cspTech');
  const { dsn } = fleet.find((device) => isOnline(device) && device.mode === 4 && device.csp === csp);
  const page = await open('cspTech', { ...PHONE, ...LIGHT, deviceScaleFactor: 2 });
  await page.goto(`/devices/${dsn}`);
  await shown(page);
  await shoot(page, 'device-phone');
});

test('schedule.webp shows a week', async ({ open, fleet }) => {
  const csp = cspOf('cspAdmin');
  const { dsn } = fleet.find((device) => isOnline(device) && device.mode === 4 && device.csp === csp);
  const page = await open('cspAdmin', { ...DESK, ...LIGHT });
  await page.goto(`/devices/${dsn}/edit/schedule`);
  await expect(new ScheduleScreen(page).save).toBeVisible();
  await shown(page);
  await shoot(page, 'schedule');
});

test('console.webp shows the list and a device', async ({ open, fleet, browser }) => {
  const { dsn } = fleet.find((device) => isOnline(device) && device.mode === 4);
  const page = await open('admin', { viewport: { width: 1280, height: 760 }, ...LIGHT });
  const pictures: string[] = [];
  for (const address of ['/devices?page_size=25', `/devices/${dsn}`]) {
    await page.goto(address);
    await shown(page);
    pictures.push((await page.screenshot()).toString('base64'));
  }
  const canvas = await browser.newPage({ viewport: CANVAS });
  const [list, device] = pictures.map((png) => `<img src="data:image/png;base64,${png}">`);
  await canvas.setContent(`
    <style>
      body { margin: 0; background: #e6eef0; }
      img { position: absolute; border-radius: 10px; box-shadow: 0 8px 30px #0b3a4440; }
      img:first-of-type { width: 1240px; left: 40px; top: 40px; }
      img:last-of-type { width: 880px; right: 40px; bottom: 40px; }
    </style>${list}${device}`);
  await shoot(canvas, 'console');
  await canvas.context().close();
});
