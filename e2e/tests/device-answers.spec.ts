import type { APIRequestContext, Locator, Page } from '@playwright/test';
import type { DeviceSettings } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { Diffuser } from '../harness/diffuser';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK, LANDSCAPE, PHONE } from '../screens/sizes';

// Adds devices.
test.use({ world: 'answers' });

const DEVICE = /^\/api\/devices\/dsns\//;
const UPDATED = 'Updated Fragrance Level';
const SIZES = [
  ['a phone', PHONE],
  ['a phone on its side', LANDSCAPE],
  ['a small desk', DESK],
  ['a desk', { viewport: { width: 1440, height: 900 } }],
  ['a large desk', { viewport: { width: 1920, height: 1080 } }],
] as const;

/** Records the bodies of the settings requests from now on. */
function settingsOf(page: Page): unknown[] {
  const sent: unknown[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT' && request.url().endsWith('/settings')) sent.push(request.postDataJSON());
  });
  return sent;
}

/** The position of a slider's thumb for a value, in pixels of the page. */
async function pointOf(slider: Locator, value: number): Promise<{ x: number; y: number }> {
  const box = await slider.boundingBox();
  const [min, max] = await slider.evaluate((input: HTMLInputElement) => [Number(input.min), Number(input.max)]);
  if (!box || min === undefined || max === undefined) throw new Error('there is no slider');
  const thumb = 30;
  return {
    x: box.x + thumb / 2 + ((box.width - thumb) * (value - min)) / (max - min),
    y: box.y + box.height / 2,
  };
}

async function currentValue(slider: Locator): Promise<number> {
  return Number(await slider.inputValue());
}

/** Swipes from one point to another. */
async function swipe(page: Page, from: { x: number; y: number }, to: { x: number; y: number }): Promise<void> {
  const browser = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
    browser.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', [from]);
  for (let step = 1; step <= 12; step += 1) {
    const at = (a: number, b: number) => a + ((b - a) * step) / 12;
    await touch('touchMove', [{ x: at(from.x, to.x), y: at(from.y, to.y) }]);
  }
  await touch('touchEnd', []);
}

const IN_24_7 = { mode: 3, cycle: 3 };

/** Changes the settings and waits until the device has confirmed the intensity. An equal value would send no command. */
async function setSettings(
  api: APIRequestContext,
  dsn: string,
  settings: DeviceSettings & { intensity: number },
): Promise<void> {
  for (const data of [{ ...settings, intensity: settings.intensity + 1 }, settings]) {
    expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data })).ok()).toBe(true);
  }
  await expect.poll(async () => (await readDevice(api, dsn)).commands.intensity?.state).toBe('acknowledged');
}

test('a reset can be undone within 30 seconds, which restores level and cartridge life', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim(
    ({ csp, fragranceRemaining }) => csp === 'Meridian Air' && (fragranceRemaining ?? 99) < 90,
  );
  const api = await people.api('cspTech');
  const before = await readDevice(api, dsn);
  expect(before.cartridgeLife).toBeGreaterThan(10);
  const page = await open('cspTech', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await screen.resetLevel.click();
  await expect(page.getByRole('alert').filter({ hasText: UPDATED })).toBeVisible();
  await expect(screen.product('Fragrance Remaining')).toContainText('100%');
  const notice = page.getByRole('status').filter({ has: screen.undo });
  await expect(notice).toContainText(
    new RegExp(
      `^Level set from ${before.fragranceRemaining}% to 100%, cartridge life from \\d+ (days|h) to 0 hUndo\\s· \\d+ s`,
    ),
  );
  const reset = await readDevice(api, dsn);
  expect(reset).toMatchObject({ fragranceRemaining: 100 });
  expect(reset.cartridgeLife).toBeLessThan(1);

  // Undo remains available after visiting another page.
  await screen.editDevice.click();
  await new DeviceFormScreen(page).cancel.click();
  await screen.undo.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Undid the reset' })).toContainText(
    `Level set from 100% to ${before.fragranceRemaining}%`,
  );
  await expect(screen.undo).toHaveCount(0);
  await expect(screen.product('Fragrance Remaining')).toContainText(`${before.fragranceRemaining}%`);
  await expect(screen.command('Fragrance Remaining')).toHaveCount(0);
  const after = await readDevice(api, dsn);
  expect(after.fragranceRemaining).toBe(before.fragranceRemaining);
  expect(after.cartridgeLife).toBeCloseTo(before.cartridgeLife ?? 0, 0);
  for (const command of [after.commands.fragranceRemaining, after.commands.cartridgeLife]) {
    expect(command).toMatchObject({ state: 'acknowledged' });
  }
  // Last, because the accessibility check takes part of the 30 seconds for Undo.
  await screen.resetLevel.click();
  await expect(screen.undo).toBeVisible();
  await expectAccessible(page, 'undo of a reset');
});

test('a reset can be undone from Changes while the device reported nothing new', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(
    ({ csp, fragranceRemaining }) => csp === 'Meridian Air' && (fragranceRemaining ?? 99) < 90,
  );
  const api = await people.api('cspTech');
  // A device that is off reports no hours.
  await setSettings(api, dsn, { mode: 1, intensity: 10 });
  const before = await readDevice(api, dsn);
  const page = await open('cspAdmin', DESK);
  await page.clock.install();
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.undoReset).toHaveCount(0);
  // A reset acts at once, so it neither looks nor stands like Edit.
  const looks = (button: Locator) => button.evaluate((element) => getComputedStyle(element).borderTopColor);
  expect(await looks(screen.resetLevel)).not.toBe(await looks(screen.editDevice));
  await screen.resetLevel.click();
  await expect(screen.undo).toBeVisible();
  await page.clock.fastForward(31_000);
  await expect(screen.undo).toHaveCount(0);
  await page.reload();
  await expect(screen.product('Fragrance Remaining')).toContainText('100%');
  const entry = page
    .getByRole('region', { name: 'Changes' })
    .getByRole('listitem')
    .filter({ hasText: 'Undo this reset' });
  await expect(entry).toContainText('Reset fragrance level');
  // People who may not edit the device see the entry at most.
  const other = await open('observer', DESK);
  await other.goto(`/devices/${dsn}`);
  await expect(new DeviceScreen(other).product('Fragrance Remaining')).toContainText('100%');
  await expect(new DeviceScreen(other).undoReset).toHaveCount(0);
  await screen.undoReset.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Undid the reset' })).toBeVisible();
  await expect(screen.undoReset).toHaveCount(0);
  const after = await readDevice(api, dsn);
  expect(after.fragranceRemaining).toBe(before.fragranceRemaining);
  expect(after.cartridgeLife).toBeCloseTo(before.cartridgeLife ?? 0, 0);
});

test('after 30 seconds Undo disappears and the reset stays', async ({ open, fleet }) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const page = await open('cspTech', PHONE);
  await page.clock.install();
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await screen.act(screen.resetLevel);
  await expect(screen.undo).toBeVisible();
  await page.clock.fastForward(20_000);
  await expect(screen.undo).toContainText(/\b\d s$/);
  await page.clock.fastForward(11_000);
  await expect(screen.undo).toHaveCount(0);
  await expect(screen.product('Fragrance Remaining')).toContainText('100%');
});

test('a late undo shows the reason; the keyboard reaches Undo in one step', async ({ open, people, fleet, guard }) => {
  guard.expect(409, DEVICE);
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const page = await open('cspTech', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await screen.resetLevel.focus();
  await page.keyboard.press('Enter');
  await expect(screen.undo).toBeVisible();
  // Another person resets the level meanwhile.
  const again = await (await people.api('admin')).post(`/api/devices/dsns/${dsn}/fragrance-level/reset`);
  expect(again.status()).toBe(200);
  await screen.resetLevel.focus();
  await tabTo(page, screen.undo);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to undo the reset\. .+/ })).toBeVisible();
  await expect(screen.undo).toHaveCount(0);
  await expect(screen.product('Fragrance Remaining')).toContainText('100%');
});

test('intensity is changed on the page by dragging with the mouse: one command, which is confirmed', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('admin');
  await setSettings(api, dsn, { ...IN_24_7, intensity: 9 });
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.intensity).toHaveValue('9');
  // This line moves the slider down, so it must be visible first.
  await expect(screen.confirmed('Intensity')).toBeVisible();
  const sent = settingsOf(page);
  const [from, to] = [await pointOf(screen.intensity, 9), await pointOf(screen.intensity, 30)];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 15 });
  const chosen = await currentValue(screen.intensity);
  expect(chosen).toBeGreaterThan(25);
  await expect(page.getByText(`Set to ${chosen}`)).toBeVisible();
  expect(sent).toEqual([]);
  await page.mouse.up();
  await expect(screen.confirmed('Intensity')).toBeVisible();
  await expect(screen.product('Intensity')).toHaveText(new RegExp(`^${chosen}of \\d+Confirmed`));
  expect(sent).toEqual([{ intensity: chosen }]);
  expect(await readDevice(api, dsn)).toMatchObject({ intensity: chosen, ...IN_24_7 });
});

test('intensity is changed on the page by a finger, and a finger that scrolls across the slider changes nothing', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('cspTech');
  await setSettings(api, dsn, { ...IN_24_7, intensity: 9 });
  const page = await open('cspTech', PHONE);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.intensity).toHaveValue('9');
  // This line moves the slider down, so it must be visible first.
  await expect(screen.confirmed('Intensity')).toBeVisible();
  const sent = settingsOf(page);

  await swipe(page, await pointOf(screen.intensity, 9), await pointOf(screen.intensity, 35));
  const chosen = await currentValue(screen.intensity);
  expect(chosen).toBeGreaterThan(28);
  await expect(screen.product('Intensity')).toHaveText(new RegExp(`^${chosen}of \\d+Confirmed`));
  await screen.lower.tap();
  await expect(screen.product('Intensity')).toHaveText(new RegExp(`^${chosen - 1}of \\d+Confirmed`));

  const elsewhere = await pointOf(screen.intensity, 30);
  await swipe(page, elsewhere, { x: elsewhere.x, y: elsewhere.y - 250 });
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(100);
  await expect(screen.intensity).toHaveValue(String(chosen - 1));
  expect(sent).toEqual([{ intensity: chosen }, { intensity: chosen - 1 }]);
  expect((await readDevice(api, dsn)).intensity).toBe(chosen - 1);
});

test('intensity is changed on the page with the arrow keys: a step each, and one command', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('cspAdmin');
  await setSettings(api, dsn, { ...IN_24_7, intensity: 9 });
  const page = await open('cspAdmin', DESK);
  await page.clock.install();
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.intensity).toHaveValue('9');
  // This line moves the slider down, so it must be visible first.
  await expect(screen.confirmed('Intensity')).toBeVisible();
  const sent = settingsOf(page);
  await tabTo(page, screen.intensity);
  // A slow machine must not look like a pause between two keys, after which a value is sent.
  await page.clock.pauseAt(Date.now() + 5_000);
  for (const key of ['ArrowRight', 'ArrowUp', 'ArrowRight', 'ArrowLeft', 'ArrowUp']) await page.keyboard.press(key);
  await expect(screen.intensity).toHaveValue('12');
  expect(sent).toEqual([]);
  await page.clock.resume();
  await expect(screen.product('Intensity')).toHaveText(/^12of \d+Confirmed/);
  expect(sent).toEqual([{ intensity: 12 }]);
  await page.keyboard.press('End');
  const max = Number(await screen.intensity.getAttribute('max'));
  await expect(screen.product('Intensity')).toHaveText(new RegExp(`^${max}of ${max}Confirmed`));
  expect((await readDevice(api, dsn)).intensity).toBe(max);
});

test('a changed setting is confirmed without reading the page again', async ({ open, people, fleet }) => {
  const { dsn, fan } = fleet.claim((device) => isOnline(device) && device.fan !== 5);
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  const reads: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'GET' && new URL(request.url()).pathname === `/api/devices/dsns/${dsn}`) {
      reads.push(request.url());
    }
  });
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(new Shell(page).live).toHaveText('Live');
  // A change by another user shows that the page is live and its first reads are done.
  const other = fan === 4 ? 3 : 4;
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { fan: other } })).ok()).toBe(true);
  await expect(screen.product('Fan Speed')).toHaveText(new RegExp(`^${other}Confirmed`));
  const before = reads.length;

  const dialog = await screen.edit();
  await dialog.choose('Fan Speed', '5');
  await dialog.save.click();
  await expect(screen.product('Fan Speed')).toHaveText(/^5Confirmed/);
  expect(reads.length).toBe(before);
});

test('a failed save shows the reason, and the slider returns', async ({ open, fleet, system, guard }) => {
  guard.expect(502, DEVICE);
  const { dsn } = fleet.claim(({ mode }) => mode === 3);
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const before = await currentValue(screen.intensity);
  system.cloudProxy.fail({ match: /^POST .*datapoint/, status: 500 });
  await (before > 1 ? screen.lower : screen.raise).click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to save device settings\. .+/ })).toBeVisible();
  await expect(screen.intensity).toHaveValue(String(before));
});

test('an offline device shows its reported value and time; the slider only requests', async ({
  open,
  people,
  diffuser,
}) => {
  const { dsn } = diffuser.device;
  const api = await people.api('admin');
  diffuser.plugIn();
  await expect.poll(async () => (await readDevice(api, dsn)).connectionStatus).toBe('Online');
  await setSettings(api, dsn, { mode: 3, cycle: 3, intensity: 20, fan: 2 });
  const page = await open('admin', DESK);
  const screen = new DeviceScreen(page);
  await page.goto(`/devices/${dsn}`);
  await expect(screen.confirmed('Intensity')).toBeVisible();
  await diffuser.pullOut();
  await expect(screen.product('Connection')).toContainText('Offline');
  await screen.raise.click();
  await expect(screen.product('Intensity')).toHaveText(/^20of 50last known21 requestedPending since/);
  await expect(screen.intensity).toHaveValue('21');
  await expect(page.getByText('This device is offline. It applies a new intensity when it reconnects.')).toBeVisible();
  await expect(page.getByText(/^As reported /)).toHaveCount(2);
  expect((await readDevice(api, dsn)).shownIntensity).toEqual({ value: 20, schedule: null });
});

test('users who may not edit see level and intensity but no slider', async ({ open, fleet }) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Meridian Air');
  const page = await open('cspObserver', PHONE);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.product('Intensity')).toBeInViewport();
  await expect(screen.product('Fragrance Remaining')).toBeInViewport();
  await expect(page.getByRole('slider')).toHaveCount(0);
  for (const button of [screen.lower, screen.raise, screen.actions]) await expect(button).toHaveCount(0);
});

test('an added device asks for power and announces its connection', async ({ open, people, system }) => {
  const dsn = system.claimStock();
  const page = await open('cspTech', PHONE);
  await page.goto('/devices/add');
  const form = new DeviceFormScreen(page);
  await form.fillIn();
  await form.text('DSN').fill(dsn);
  await form.save.tap();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  const waiting = page.getByRole('status').filter({ hasText: 'Power it on; waiting for first contact' });
  await expect(waiting).toBeVisible();
  await expectAccessible(page, 'waiting for first contact');
  const loaded = await page.evaluate(() => performance.timeOrigin);
  const api = await people.api('cspTech');
  const diffuser = new Diffuser(system, await readDevice(api, dsn));
  try {
    diffuser.plugIn();
    const { serialNumber } = diffuser.device;
    await expect(page.getByRole('status').filter({ hasText: `${serialNumber} is online.` })).toBeVisible();
    await expect(waiting).toHaveCount(0);
    expect(await page.evaluate(() => performance.timeOrigin)).toBe(loaded);
  } finally {
    await diffuser.pullOut();
  }
  await expect(new DeviceScreen(page).product('Connection')).toContainText('Offline');
  await expect(waiting).toHaveCount(0);
});

test('actions are in a menu on a phone, and a desktop has a menu that marks the current section', async ({
  open,
  fleet,
}) => {
  const { dsn } = fleet.find(({ mode, csp }) => mode === 4 && csp === 'Meridian Air');
  const phone = await open('cspAdmin', PHONE);
  await phone.goto(`/devices/${dsn}`);
  const small = new DeviceScreen(phone);
  await expect(small.settings).toBeInViewport();
  await expect(small.sections).toBeHidden();
  for (const action of [small.editDevice, small.copy, small.resetLevel]) await expect(action).toHaveCount(0);
  await small.actions.tap();
  for (const action of [small.editDevice, small.copy, small.resetLevel]) await expect(action).toBeInViewport();
  await expectAccessible(phone, 'menu of actions');
  await small.copy.tap();
  await expect(phone).toHaveURL(`/devices/${dsn}/copy`);

  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.actions).toHaveCount(0);
  const links = screen.sections.getByRole('link');
  await expect(links).toHaveText(['Status', 'Schedule', 'Details', 'Notifications', 'Forecast', 'History', 'Changes']);
  const current = screen.sections.locator('[aria-current=location]');
  await expect(current).toHaveText('Status');
  await links.getByText('Notifications').click();
  await expect(current).toHaveText('Notifications');
  const notifications = page.getByRole('region', { name: 'Notifications' });
  const { viewport } = DESK;
  await expect.poll(async () => (await notifications.boundingBox())?.y).toBeLessThan(viewport.height / 2);
  const [menu, block] = [await screen.sections.boundingBox(), await notifications.boundingBox()];
  expect(menu?.x).toBeGreaterThanOrEqual((block?.x ?? 0) + (block?.width ?? 0));
  expect(menu?.y).toBeLessThan(viewport.height / 2);
  await page.mouse.wheel(0, -20_000);
  await expect(current).toHaveText('Status');
});

for (const [name, size] of SIZES) {
  for (const font of [16, 32]) {
    test(`nothing of the device page is wider than ${name} at text of ${font} px`, async ({ open, fleet }) => {
      // In Run mode there may be no slider.
      const { dsn } = fleet.find((device) => isOnline(device) && device.mode === 3);
      const page = await open('admin', size);
      const browser = await page.context().newCDPSession(page);
      await browser.send('Page.setFontSizes', { fontSizes: { standard: font, fixed: font } });
      await page.goto(`/devices/${dsn}`);
      const screen = new DeviceScreen(page);
      await expect(screen.intensity).toBeVisible();
      const widths = () =>
        page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      let [content, window] = await widths();
      expect(content).toBeLessThanOrEqual(window ?? 0);
      if (await screen.actions.isVisible()) await screen.actions.click();
      await screen.resetLevel.first().scrollIntoViewIfNeeded();
      await expect(screen.resetLevel).toBeInViewport();
      [content, window] = await widths();
      expect(content).toBeLessThanOrEqual(window ?? 0);
    });
  }
}
