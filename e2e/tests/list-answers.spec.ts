import type { APIRequestContext, Page } from '@playwright/test';
import type { DeviceCounts, DeviceList, DeviceView } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice, readDevices } from '../harness/fleet';
import { BulkEditScreen } from '../screens/bulk-edit';
import { CopyScreen } from '../screens/copy-page';
import { DeviceListScreen } from '../screens/device-list';
import { DESK, LANDSCAPE, PHONE } from '../screens/sizes';

// Assigns devices to other CSPs and changes list preferences.
test.use({ world: 'list answers' });

const HOUR_MS = 3_600_000;

const dsnsOf = (devices: readonly DeviceView[]) => devices.map(({ dsn }) => dsn).sort();

async function listed(api: APIRequestContext, params: Record<string, string | number>): Promise<DeviceList> {
  return (await api.get('/api/devices', { params })).json();
}

/** All devices of a filtered list, on one page. */
async function allOf(list: DeviceListScreen, count: number): Promise<string[]> {
  await expect(list.footer(`Devices ${Math.min(1, count)} - ${count} of ${count}`)).toBeVisible();
  return (await list.dsns()).sort();
}

/** The levels of the rows, in their order. */
async function levels(page: Page): Promise<number[]> {
  await expect(page.getByRole('table')).toHaveAttribute('aria-busy', 'false');
  const meters = page.getByRole('table').getByRole('img', { name: /fragrance remaining/ });
  const labels = await meters.evaluateAll((all) => all.map((meter) => meter.getAttribute('aria-label') ?? ''));
  return labels.map((label) => Number.parseInt(label, 10));
}

test('the list is sorted by the remaining level, and filtered by level, never connected and time offline', async ({
  open,
  people,
  fleet: _,
}) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  await page.goto('/devices?page_size=50');
  const list = new DeviceListScreen(page);

  await list.sortBy('Remaining').click();
  await expect(page).toHaveURL('/devices?page_size=50&order=asc&order_by=fragranceremaining');
  const rising = await levels(page);
  expect(rising.length).toBeGreaterThan(30);
  expect(rising).toEqual([...rising].sort((a, b) => a - b));
  await list.sortBy('Remaining').click();
  await expect(page).toHaveURL('/devices?page_size=50&order_by=fragranceremaining');
  await expect.poll(async () => (await levels(page))[0]).toBeGreaterThan(rising[0] ?? 100);
  const falling = await levels(page);
  expect(falling).toEqual([...falling].sort((a, b) => b - a));

  await page.goto('/devices?page_size=50');
  const byLevel = await list.openFilter();
  await byLevel.number('Remaining at most').fill('40');
  await byLevel.apply.click();
  await expect(page).toHaveURL('/devices?page_size=50&maxremaining=40');
  await expect(list.chip('Remaining at most')).toContainText('40%');
  const { total } = await listed(api, { maxremaining: 40 });
  expect(total).toBeGreaterThan(3);
  expect(total).toBeLessThan(40);
  expect(await allOf(list, total)).toHaveLength(total);
  for (const level of await levels(page)) expect(level).toBeLessThanOrEqual(40);

  await list.clearFilters.click();
  await expect(list.footer('Devices 1 - 50 of 60')).toBeVisible();
  const now = Date.now();
  const devices = await readDevices(api);
  const never = devices.filter(({ neverConnected }) => neverConnected);
  expect(never.length).toBeGreaterThan(0);
  const counts: DeviceCounts = await (await api.get('/api/devices/counts')).json();
  await list.status.click();
  await expect(page.getByRole('option')).toHaveText([
    /^Online \(\d+\)$/,
    /^Offline \(\d+\)$/,
    `Never connected (${counts.neverConnected})`,
  ]);
  await page.getByRole('option', { name: 'Never connected' }).click();
  await expect(page).toHaveURL('/devices?page_size=50&connectionstatus=NeverConnected');
  expect(await allOf(list, never.length)).toEqual(dsnsOf(never));
  await expect(list.rows.getByText('Never connected')).toHaveCount(never.length);

  await list.clearFilters.click();
  await expect(list.footer('Devices 1 - 50 of 60')).toBeVisible();
  const days = 1;
  const gone = devices.filter(
    ({ connectionStatus, connectionChangedAt }) =>
      connectionStatus === 'Offline' &&
      connectionChangedAt !== null &&
      now - Date.parse(connectionChangedAt) > days * 24 * HOUR_MS,
  );
  expect(gone.length).toBeGreaterThan(0);
  const byTime = await list.openFilter();
  await byTime.number('Offline for more than').fill(`${days}`);
  await expectAccessible(page, 'filter dialog');
  await byTime.apply.click();
  await expect(page).toHaveURL('/devices?page_size=50&offlinehours=24');
  expect(await allOf(list, gone.length)).toEqual(dsnsOf(gone));
  await expect(list.chip('Offline for more than')).toContainText('1 day');
  // The status says since when, the level one time of its own.
  await expect(list.rows.first()).toContainText(/Offline\s*since .*\d+%\s*(runs dry|no contact|empty)/s);
});

test('one search box finds a device by any known value, has a shortcut and can be cleared', async ({ open, fleet }) => {
  const device = fleet.find(
    ({ serialNumber, customer, serviceArea, city, fragrance }) =>
      !!serialNumber?.includes('-') && !!customer && !!serviceArea && !!city && !!fragrance,
  );
  const unhyphenated = device.serialNumber?.replace('-', '');
  const page = await open('admin', DESK);
  await page.goto('/devices?page_size=50');
  const list = new DeviceListScreen(page);
  await expect(list.rows).toHaveCount(50);
  for (const known of [
    device.dsn,
    device.serialNumber,
    unhyphenated,
    `${device.customer} ${device.serviceArea}`,
    device.city,
    device.fragrance,
  ]) {
    await page.keyboard.press('/');
    await expect(list.search).toBeFocused();
    await list.search.fill(`${known}`.toUpperCase());
    await expect(list.chip('Search')).toContainText(`${known}`.toUpperCase());
    await expect(list.row(device.dsn)).toBeVisible();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await expect(list.chip()).toHaveCount(0);
    await expect(list.search).toHaveValue('');
    await list.heading.click();
  }
  await list.search.fill('no device is called that');
  await expect(page.getByText('No results')).toBeVisible();
});

test('all matching devices, and only those, get a CSP', async ({ open, people }) => {
  const api = await people.api('admin');
  const before = await readDevices(api);
  const matching = before.filter(({ csp }) => csp === 'Quayside Services');
  expect(matching.length).toBeGreaterThan(5);
  const page = await open('admin', DESK);
  await page.goto('/devices?csp=Quayside+Services');
  const list = new DeviceListScreen(page);
  await list.bulkEdit.click();
  const bulk = new BulkEditScreen(page);
  await page.getByRole('button', { name: `Select all ${matching.length} that match` }).click();
  await expect(bulk.chosen(matching.length)).toBeVisible();
  await expect(bulk.pageBox).toBeChecked();
  await list.goTo('Next page');
  await expect(
    list
      .footer(`Devices 6 - 10 of ${matching.length}`)
      .or(list.footer(`Devices 6 - ${matching.length} of ${matching.length}`)),
  ).toBeVisible();
  await expect(bulk.pageBox).toBeChecked();

  // Another filter clears the selection.
  await list.search.fill('no device is called that');
  await expect(bulk.chosen(0)).toBeVisible();
  await expect(page.getByText('The filters changed, so the selection was cleared.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await page.getByRole('button', { name: `Select all ${matching.length} that match` }).click();
  await expect(bulk.chosen(matching.length)).toBeVisible();
  await expectAccessible(page, 'bulk edit of all that match');
  await bulk.chooseCsp('Northlight Scents');
  await bulk.save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully updated device details' })).toBeVisible();

  const after = await readDevices(api);
  const changed = after.filter(({ dsn, csp }) => csp !== before.find((one) => one.dsn === dsn)?.csp);
  expect(dsnsOf(changed)).toEqual(dsnsOf(matching));
  for (const { csp } of changed) expect(csp).toBe('Northlight Scents');

  // A copy from one of them reaches all other devices of the city, and no other device.
  const source = await readDevice(api, matching[0]?.dsn ?? '');
  const { city } = after.find((one) => one.city && after.filter(({ city }) => city === one.city).length > 2) ?? {};
  const targets = after.filter((one) => one.city === city && one.dsn !== source.dsn);
  expect(targets.length).toBeGreaterThan(1);
  await page.goto(`/devices/${source.dsn}/copy?city=${encodeURIComponent(city ?? '')}`);
  const copy = new CopyScreen(page);
  await copy.option('Name').check();
  await page.getByRole('button', { name: `Select all ${targets.length} that match` }).click();
  await expect(page.getByText(`1 option and ${targets.length} devices selected`)).toBeVisible();
  const sent = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/copy'));
  await copy.applyUnseen();
  expect(Object.fromEntries(new URLSearchParams((await sent).postDataJSON().matching))).toEqual({
    city,
    excludeDsn: source.dsn,
  });
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully copied device' })).toBeVisible();
  const copied = await readDevices(api);
  const renamed = copied.filter(({ dsn, customer, serviceArea }) => {
    const was = after.find((one) => one.dsn === dsn);
    return customer !== was?.customer || serviceArea !== was?.serviceArea;
  });
  for (const { dsn } of renamed) expect(dsnsOf(targets)).toContain(dsn);
  for (const { dsn } of targets) {
    const { customer, serviceArea } = await readDevice(api, dsn);
    expect({ customer, serviceArea }).toEqual({ customer: source.customer, serviceArea: source.serviceArea });
  }
});

test('page size and density are remembered per user in every browser', async ({ open, fleet: _ }) => {
  // As wide that no cell of a row wraps.
  const first = await open('observer', { ...DESK, viewport: { width: 1920, height: 1080 }, ownSession: true });
  await first.goto('/devices');
  const list = new DeviceListScreen(first);
  await expect(list.rows).toHaveCount(5);
  await expect(list.table).toHaveAttribute('data-density', 'comfortable');
  const height = async (screen: DeviceListScreen) => (await screen.rows.nth(1).boundingBox())?.height ?? 0;
  expect(Math.round(await height(list))).toBeLessThanOrEqual(45);
  const saved = () =>
    first.waitForResponse((answer) => answer.url().endsWith('/api/account/list-preferences') && answer.ok());
  const size = saved();
  await list.choose('Rows per page', '25');
  await size;
  await expect(list.rows).toHaveCount(25);
  const density = saved();
  await first.getByRole('button', { name: 'Compact rows' }).click();
  await density;
  await expect(list.table).toHaveAttribute('data-density', 'compact');
  expect(Math.round(await height(list))).toBeLessThanOrEqual(37);

  const second = await open('observer', { ...DESK, ownSession: true });
  await second.goto('/devices');
  const elsewhere = new DeviceListScreen(second);
  await expect(elsewhere.rows).toHaveCount(25);
  await expect(second).toHaveURL('/devices');
  await expect(elsewhere.table).toHaveAttribute('data-density', 'compact');
  await second.goto('/devices?page_size=5');
  await expect(elsewhere.rows).toHaveCount(5);
  await second.goto('/users');
  await expect(second.getByRole('combobox', { name: 'Rows per page' })).toHaveValue('25');
  await expect(second.getByRole('table')).toHaveAttribute('data-density', 'compact');

  const other = await open('admin', DESK);
  await other.goto('/devices');
  await expect(new DeviceListScreen(other).rows).toHaveCount(5);
  await expect(new DeviceListScreen(other).table).toHaveAttribute('data-density', 'comfortable');

  const back = second.waitForResponse((answer) => answer.url().endsWith('/list-preferences') && answer.ok());
  await second.goto('/devices');
  await elsewhere.choose('Rows per page', '5');
  await back;
  await first.goto('/devices');
  await expect(list.rows).toHaveCount(5);
});

test('on a phone one tap finds low, offline or near devices', async ({ open, people, fleet }) => {
  const { dsn } = fleet.find((device) => isOnline(device));
  const { lat, lng } = await readDevice(await people.api('admin'), dsn);
  const geolocation = { latitude: lat ?? 0, longitude: lng ?? 0 };
  const page = await open('admin', { ...PHONE, geolocation, permissions: ['geolocation'] });
  await page.goto('/devices');
  const cards = page.getByRole('main').getByRole('listitem');
  const quick = page.getByRole('group', { name: 'Quick filters' });
  await expect(cards).toHaveCount(5);
  await quick.getByRole('button', { name: /^Low \d+$/ }).tap();
  await expect(page).toHaveURL('/devices?maxremaining=20');
  await quick.getByRole('button', { name: /^Low \d+$/ }).tap();
  await quick.getByRole('button', { name: /^Never connected \d+$/ }).tap();
  await expect(page).toHaveURL('/devices?connectionstatus=NeverConnected');
  await expect(cards.first()).toContainText('Never connected');
  await quick.getByRole('button', { name: /^Offline \d+$/ }).tap();
  await expect(page).toHaveURL('/devices?connectionstatus=Offline');
  await quick.getByRole('button', { name: /^Offline \d+$/ }).tap();
  await expect(page).toHaveURL('/devices');
  await quick.getByRole('button', { name: 'Near me' }).tap();
  await expect(cards.first()).toContainText('0.0 km away');
  await expect(page.getByRole('button', { name: 'Remove filter Near me within 50 km' })).toBeVisible();
  await expectAccessible(page, 'the list of a phone');
});

test('a refused position shows a notice, and the list stays', async ({ open }) => {
  const page = await open('admin', { ...PHONE, permissions: [] });
  await page.goto('/devices');
  const cards = page.getByRole('main').getByRole('listitem');
  await expect(cards).toHaveCount(5);
  await page.getByRole('button', { name: 'Near me' }).tap();
  await expect(page.getByRole('alert')).toContainText('Near me needs your position.');
  await expect(cards).toHaveCount(5);
  await expect(page).toHaveURL('/devices');
});

for (const [name, size] of [
  ['390 px', PHONE],
  ['844 px landscape', LANDSCAPE],
  ['1280 px', DESK],
  ['1920 px', { viewport: { width: 1920, height: 1080 } }],
] as const) {
  test(`with filters, search and a selection the list is no wider than ${name}`, async ({ open }) => {
    const page = await open('admin', size);
    const q = 'a-very-long-text-without-any-place-to-break-it-into-two-lines-ab';
    for (const query of ['page_size=50', `q=${q}&city=${q}&maxremaining=40&connectionstatus=NeverConnected`]) {
      await page.goto(`/devices?${query}`);
      await expect(new DeviceListScreen(page).heading).toBeVisible();
      await page.getByRole('button', { name: 'Bulk Edit Details' }).click();
      await expect(page.getByRole('button', { name: /^Select all \d+ that match$/ })).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      const content = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, window.innerWidth));
      expect(content, query).toBeLessThanOrEqual(size.viewport.width);
    }
    if (size.viewport.width < 1900) return;
    const main = await page.getByRole('main').boundingBox();
    expect((main?.x ?? 0) + (main?.width ?? 0), 'room used at a wide desk').toBeGreaterThan(1900);
  });
}
