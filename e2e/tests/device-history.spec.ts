import type { DeviceView, DeviceWeek } from '../../web/src/api/schema.gen';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevices } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

const HISTORY = /^GET \/api\/devices\/dsns\/[^/]+\/history/;
const CODE = /^GET \/assets\/HistoryCharts-[^.]+\.js/;

test('history and its code are loaded when the user scrolls there, and not before', async ({
  open,
  fleet,
  frontProxy,
}) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('observer', { ...DESK, through: frontProxy });
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.product('Mode')).toBeVisible();
  expect([frontProxy.count(HISTORY), frontProxy.count(CODE)]).toEqual([0, 0]);
  // When the stream opens, the page reads its data again.
  await expect(new Shell(page).live).toHaveText('Live');
  await screen.history.lookAt();
  await expect(screen.history.charts).toHaveCount(4);
  expect([frontProxy.count(HISTORY), frontProxy.count(CODE)]).toEqual([1, 1]);
});

test('the history and its table are reachable by keyboard', async ({ open, fleet }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('cspObserver', DESK);
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await tabTo(page, history.asTable);
  await expect(history.charts).toHaveCount(4);
  await page.keyboard.press('Enter');
  const days = history.table.locator('tbody').getByRole('row');
  await expect(days.first()).toBeVisible();
  // Sixty days touch 61 calendar days; only 60 in the hour before midnight if the clocks were set back meanwhile.
  expect([60, 61]).toContain(await days.count());
  await page.keyboard.press('Tab');
  await expect(history.range('60 days')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(history.days).toBeFocused();
  const top = await history.days.evaluate((element) => element.scrollTop);
  await page.keyboard.press('PageDown');
  await expect.poll(() => history.days.evaluate((element) => element.scrollTop)).toBeGreaterThan(top);
});

test('all charts show their values at the pointed time', async ({ open, fleet }) => {
  const { dsn } = fleet.find((device) => isOnline(device) && device.fragranceRemaining !== null);
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await history.lookAt();
  await expect(history.charts).toHaveCount(4);
  await expect(history.root.getByText(/^now \d+%$/)).toBeVisible();
  const chart = await history.charts.first().boundingBox();
  if (!chart) throw new Error('the chart is not on the page');
  await page.mouse.move(chart.x + chart.width * 0.8, chart.y + chart.height / 2);
  // In the zone of the device, which is named if it is not the browser's.
  const yearAndTime = /, \d{4}, \d+:\d\d\s[AP]M( \S+)?$/;
  await expect(history.root.getByText(/^\d+% · /).and(page.getByText(yearAndTime))).toBeVisible();
  await expect(history.root.getByText(/^\d+ · /).and(page.getByText(yearAndTime))).toBeVisible();
  await page.mouse.move(chart.x, chart.y - 100);
  await expect(history.root.getByText(/^now \d+%$/)).toBeVisible();
});

test('a history that cannot be read shows the reason and can be retried', async ({
  open,
  fleet,
  frontProxy,
  guard,
}) => {
  guard.expect(500, /\/history$/);
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { ...DESK, through: frontProxy });
  const heal = frontProxy.fail({ match: HISTORY, status: 500 });
  frontProxy.hold(EVENTS);
  await page.goto(`/devices/${dsn}`);
  const { history, heading } = new DeviceScreen(page);
  await history.lookAt();
  await expect(history.root.getByRole('alert')).toContainText('Failed to load history');
  await expectAccessible(page, 'history that failed');
  await expect(heading).toBeVisible();
  heal();
  await history.root.getByRole('button', { name: 'Retry' }).click();
  await expect(history.charts).toHaveCount(4);
});

test('the block shows that the history is loading', async ({ open, fleet, frontProxy }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('admin', { ...DESK, through: frontProxy });
  const release = frontProxy.hold(HISTORY);
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await history.lookAt();
  await expect(history.root.getByRole('status', { name: 'Loading history' })).toBeVisible();
  release();
  await expect(history.charts).toHaveCount(4);
});

for (const size of [PHONE, DESK]) {
  test(`charts and table are accessible at ${size.viewport.width} px, light and dark`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(({ mode }) => mode === 4);
    const page = await open('admin', size);
    await page.goto(`/devices/${dsn}`);
    const { history, schedule } = new DeviceScreen(page);
    await expect(schedule).toBeVisible();
    await history.lookAt();
    await expect(history.charts.first()).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'charts');
    await history.asTable.click();
    await expect(history.table).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'table');
    const [content, window] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.body.clientWidth,
    ]);
    expect(content).toBeLessThanOrEqual(window ?? 0);
  });
}

test('a shorter range is chosen, stays in the URL, and shows hours', async ({ open, fleet, frontProxy }) => {
  const { dsn } = fleet.find(isOnline);
  const page = await open('observer', { ...DESK, through: frontProxy });
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await history.lookAt();
  await expect(history.charts).toHaveCount(4);
  await expect(history.range('60 days')).toBeChecked();
  await history.choose('7 days');
  await expect(page).toHaveURL(`/devices/${dsn}?history=7`);
  await expect(history.range('7 days')).toBeChecked();
  await expect.poll(() => frontProxy.count(/\/history\?days=7$/)).toBe(1);
  await page.reload();
  await history.lookAt();
  await expect(history.range('7 days')).toBeChecked();
  await history.asTable.click();
  const days = history.table.locator('tbody').getByRole('row');
  await expect(days.first()).toBeVisible();
  expect([7, 8]).toContain(await days.count());
});

test('the keyboard moves the cursor of all charts, and Escape leads back to now', async ({ open, fleet }) => {
  const { dsn } = fleet.find((device) => isOnline(device) && device.fragranceRemaining !== null);
  const page = await open('cspObserver', DESK);
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await history.lookAt();
  await tabTo(page, history.cursor);
  await expect(history.cursor).toHaveAttribute('aria-valuetext', 'Now');
  for (const key of ['ArrowLeft', 'PageDown', 'ArrowRight']) await page.keyboard.press(key);
  await expect(history.cursor).toHaveAttribute('aria-valuetext', /, \d{4}, .*Fragrance Remaining \d+%, Intensity \d+/);
  await expect(history.root.getByText(/^\d+% · /)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(history.cursor).toHaveAttribute('aria-valuetext', 'Now');
  await expect(history.root.getByText(/^now \d+%$/)).toBeVisible();
});

test('a finger moves the cursor, which stays when it is lifted', async ({ open, fleet }) => {
  const { dsn } = fleet.find((device) => isOnline(device) && device.fragranceRemaining !== null);
  const page = await open('admin', PHONE);
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await history.lookAt();
  await expect(history.charts).toHaveCount(4);
  await history.charts.first().scrollIntoViewIfNeeded();
  const chart = await history.charts.first().boundingBox();
  if (!chart) throw new Error('the chart is not on the page');
  await page.touchscreen.tap(chart.x + chart.width * 0.7, chart.y + chart.height / 3);
  await expect(history.root.getByText(/^\d+% · /)).toBeVisible();
  await expect(history.cursor).toHaveAttribute('aria-valuetext', /Fragrance Remaining \d+%/);
});

test('a command is marked and described at its time', async ({ open, fleet }) => {
  const { dsn } = fleet.claim((device) => isOnline(device) && device.fan !== 4);
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}?history=1`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  await dialog.choose('Fan Speed', '4');
  await dialog.save.click();
  await expect(page.getByText('Successfully updated device settings')).toBeVisible();
  await page.reload();
  await screen.history.lookAt();
  await expect(screen.history.root.getByText('1 command')).toBeVisible();
  await screen.history.cursor.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(screen.history.root.getByText(/^Fan Speed .+ → 4, by .+ · /)).toBeVisible();
});

test('the history explains to a phone who switched a device off', async ({ open, fleet, people }) => {
  const { dsn } = fleet.claim((device) => isOnline(device) && device.mode === 3);
  const page = await open('cspTech', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  await dialog.choose('Mode', 'Off');
  await dialog.save.click();
  await expect(page.getByText('Successfully updated device settings')).toBeVisible();
  await expect(screen.command('Mode')).toHaveCount(0);

  const phone = await open('cspAdmin', PHONE);
  await phone.goto(`/devices/${dsn}?history=1`);
  const { history } = new DeviceScreen(phone);
  await history.lookAt();
  const reason = `^Off since .+\\. Mode 24/7 → Off, by ${people.account('cspTech').email} · .+\\.$`;
  await expect(history.root.getByText(new RegExp(reason))).toBeVisible();
});

const WEEK_MS = 7 * 24 * 3_600_000;

test('in every range the history says since when a device is offline', async ({ open, people }) => {
  const isLongGone = ({ connectionStatus, connectionChangedAt, neverConnected }: DeviceView) =>
    connectionStatus === 'Offline' &&
    !neverConnected &&
    connectionChangedAt !== null &&
    Date.now() - Date.parse(connectionChangedAt) > WEEK_MS;
  const gone = (await readDevices(await people.api('admin'))).find(isLongGone);
  if (!gone) throw new Error('no device has been offline for a week');
  const { dsn, connectionChangedAt, timeZone } = gone;
  const page = await open('admin', PHONE);
  await page.goto(`/devices/${dsn}`);
  const { history, status } = new DeviceScreen(page);
  await expect(status).toHaveText('Offline');
  await history.lookAt();
  const day = { month: 'short', day: 'numeric', year: 'numeric', timeZone: timeZone ?? undefined } as const;
  const since = new Date(connectionChangedAt ?? '').toLocaleDateString('en-US', day);
  for (const range of ['60 days', '30 days', '7 days', '24 h']) {
    await history.choose(range);
    await expect(history.range(range)).toBeChecked();
    await expect(history.root.getByText(`Unknown: offline since ${since}`).first()).toBeVisible();
  }
});

test('a phone shows what a device did last week, and whether it ran on a day', async ({ open, people }) => {
  const api = await people.api('admin');
  const weekOf = async (dsn: string): Promise<DeviceWeek | null> =>
    (await (await api.get(`/api/devices/dsns/${dsn}/history`)).json()).lastWeek;
  // The demo has a history of mode and schedule only of devices that did not connect when it began.
  const offline = (await readDevices(api)).filter((device) => !isOnline(device) && device.mode === 4);
  const weeks = await Promise.all(offline.map(async ({ dsn }) => ({ dsn, week: await weekOf(dsn) })));
  const known = weeks.find(({ week }) => week && ![week.ranHours, week.plannedHours, week.usedMl].includes(null));
  if (!known?.week) throw new Error('no device has a known last week');
  const { dsn, week } = known;
  const [ran, planned, ml] = [week.ranHours, week.plannedHours, week.usedMl].map((value) => Math.round(value ?? -1));
  const page = await open('admin', PHONE);
  await page.goto(`/devices/${dsn}`);
  const { history } = new DeviceScreen(page);
  await history.lookAt();
  const sentence = history.root.getByText(/ last week \(/);
  await expect(sentence).toContainText(`Ran ${ran} of ${planned} scheduled hours last week`);
  await expect(sentence).toContainText(`, used ${ml} mL.`);
  await history.asTable.click();
  // What is above may be longer than the screen.
  await history.table.evaluate((table) => table.scrollIntoView());
  await expect(history.table.getByRole('columnheader', { name: 'On', exact: true })).toBeInViewport({ ratio: 1 });
  const hint = await history.table.locator('caption > span').boundingBox();
  expect((hint?.x ?? 0) + (hint?.width ?? Number.POSITIVE_INFINITY)).toBeLessThanOrEqual(PHONE.viewport.width);
});
