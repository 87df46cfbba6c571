import type { APIRequestContext } from '@playwright/test';
import type { DeviceList, DeviceView } from '../../web/src/api/schema.gen';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { readDevice, readDevices } from '../harness/fleet';
import { cspOf, EVERYBODY } from '../harness/people';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

const LIST_CALL = /^GET \/api\/devices\?/;

/** The dsns that the server lists for these parameters. */
async function listed(api: APIRequestContext, params: Record<string, string | number>): Promise<string[]> {
  const list: DeviceList = await (await api.get('/api/devices', { params })).json();
  return list.devices.map(({ dsn }) => dsn);
}

test.describe('everybody sees the devices in their scope', () => {
  for (const person of EVERYBODY) {
    test(person, async ({ open, fleet }) => {
      const scoped = person === 'admin' || person === 'observer' ? fleet.devices : fleet.of(cspOf(person) ?? 'nobody');
      const dsns = scoped.map(({ dsn }) => dsn);
      const shown = Math.min(dsns.length, 50);

      const page = await open(person);
      await page.goto('/devices?page_size=50&order_by=dsn&order=asc');
      const list = new DeviceListScreen(page);
      await expect(list.footer(`Devices ${Math.min(1, shown)} - ${shown} of ${dsns.length}`)).toBeVisible();
      if (shown > 0) expect(await list.dsns()).toEqual(dsns.slice(0, 50));
      else await expect(page.getByText('No results')).toBeVisible();
    });
  }
});

/** The columns of A-37, with related ones next to each other, followed by the connection time, the level and the forecast. */
const COLUMNS = [
  ...['Serial Number', 'DSN', 'Customer', 'Service Area', 'CSP', 'Installed', 'System Configuration', 'Network'],
  ...['City', 'State/Province', 'Country', 'Status', 'Last Connected', 'Remaining', 'Runs Dry'],
];

/** The texts of a row by the labels of their columns. */
const textsOf = (device: DeviceView) => ({
  'Serial Number': device.serialNumber,
  DSN: device.dsn,
  Customer: device.customer,
  'Service Area': device.serviceArea,
  'System Configuration': device.systemConfigurationLabel,
  Network: device.network,
  City: device.city,
  'State/Province': device.state,
  Country: device.country,
});

for (const person of ['admin', 'observer', 'cspAdmin', 'cspObserver', 'cspTech'] as const) {
  test(`a row describes the device and opens it: ${person}`, async ({ open, fleet }) => {
    const csp = cspOf(person);
    const device = fleet.find(
      (one) =>
        one.csp === (csp ?? 'Northlight Scents') && one.network !== 'LAN' && Object.values(textsOf(one)).every(Boolean),
    );
    const page = await open(person);
    await page.goto(`/devices?dsn=${device.dsn}`);
    const list = new DeviceListScreen(page);
    await expect(list.row(device.dsn)).toBeVisible();
    expect(await list.labels()).toEqual(COLUMNS.filter((label) => label !== 'CSP' || csp === null));
    for (const [label, text] of Object.entries(textsOf(device))) {
      await expect(await list.cell(device.dsn, label), label).toContainText(text as string);
    }
    await expect(await list.cell(device.dsn, 'Status')).toContainText(/Online|Offline/);
    if (csp) await expect(list.table.getByRole('columnheader', { name: 'CSP' })).toHaveCount(0);
    else await expect(await list.cell(device.dsn, 'CSP')).toHaveText('Northlight Scents');
    await list.row(device.dsn).click();
    await expect(page).toHaveURL(`/devices/${device.dsn}`);
  });
}

test('pages and page sizes can be chosen, and the footer shows the position', async ({ open, people }) => {
  const api = await people.api('observer');
  const page = await open('observer');
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  expect(await list.dsns()).toEqual(await listed(api, {}));

  await list.goTo('Next page');
  await expect(list.footer('Devices 6 - 10 of 60')).toBeVisible();
  await expect(page).toHaveURL('/devices?page=2');
  expect(await list.dsns()).toEqual(await listed(api, { page: 2 }));

  await list.goTo('Page 12');
  await expect(list.footer('Devices 56 - 60 of 60')).toBeVisible();

  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expect(page.getByRole('option')).toHaveText(['5', '25', '50']);
  await page.keyboard.press('Escape');
  await list.choose('Rows per page', '25');
  await expect(list.footer('Devices 1 - 25 of 60')).toBeVisible();
  await expect(page).toHaveURL('/devices?page_size=25');
  await list.goTo('Page 3');
  await expect(list.footer('Devices 51 - 60 of 60')).toBeVisible();
  await list.goTo('Previous page');
  await expect(list.footer('Devices 26 - 50 of 60')).toBeVisible();

  // Restores the default, because the choice is remembered.
  await list.choose('Rows per page', '5');
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  await expect(page).toHaveURL('/devices');
});

test('headers sort and announce the order', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin');
  await page.goto('/devices?page=3');
  const list = new DeviceListScreen(page);
  await list.sortBy('Customer').click();
  await expect(page).toHaveURL('/devices?order=asc&order_by=customer');
  await expect(list.table.getByRole('columnheader', { name: 'Customer' })).toHaveAttribute('aria-sort', 'ascending');
  const image = list.sortBy('Customer').locator('svg');
  await expect(image).toHaveClass(/arrow-up/);
  expect(await list.dsns()).toEqual(await listed(api, { orderBy: 'customer', order: 'asc' }));

  await list.sortBy('Customer').click();
  await expect(page).toHaveURL('/devices?order_by=customer');
  await expect(list.table.getByRole('columnheader', { name: 'Customer' })).toHaveAttribute('aria-sort', 'descending');
  await expect(image).toHaveClass(/arrow-down/);
  expect(await list.dsns()).toEqual(await listed(api, { orderBy: 'customer', order: 'desc' }));

  for (const label of ['Serial Number', 'DSN', 'CSP', 'Service Area', 'System Configuration', 'Network', 'Status']) {
    await list.sortBy(label).click();
    await expect(list.table.getByRole('columnheader', { name: label })).toHaveAttribute('aria-sort', 'ascending');
  }
});

test('filters are in the URL and can be combined', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin');
  await page.goto('/devices?page=4');
  const list = new DeviceListScreen(page);
  await list.choose('Status', 'Online');
  await expect(page).toHaveURL('/devices?connectionstatus=Online');
  await expect(list.rows.filter({ hasText: 'Offline' })).toHaveCount(0);

  await list.search.fill('w00010001');
  await expect(page).toHaveURL('/devices?q=w00010001&connectionstatus=Online');
  const found = await listed(api, { connectionstatus: 'Online', q: 'w00010001' });
  expect(found.length).toBeGreaterThan(0);
  await expect.poll(() => list.dsns()).toEqual(found);

  await list.clearFilters.click();
  await expect(page).toHaveURL('/devices');
  await expect(list.search).toHaveValue('');
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
});

const FILTERS = [
  ...['Serial Number', 'DSN', 'Customer', 'Customer ID', 'Store Number', 'Service Area', 'CSP'],
  ...['System Configuration', 'Fragrance'],
  ...['Network', 'City', 'State/Province', 'Country', 'Status'],
];

test("the filter dialog has every filter, and the list matches the server's", async ({ open, people, fleet }) => {
  const device = fleet.find(({ csp, city }) => csp === 'Northlight Scents' && city !== null);
  const { csp, city, customer, systemConfiguration, systemConfigurationLabel } = device;
  const api = await people.api('admin');
  const page = await open('admin');
  await page.goto('/devices?page=4&page_size=25');
  const list = new DeviceListScreen(page);
  const dialog = await list.openFilter();
  for (const label of FILTERS) await expect(dialog.field(label)).toBeVisible();
  await expect(dialog.root).toContainText(
    'one or two characters match the beginning of a value, three or more match anywhere',
  );
  await dialog.choose('CSP', csp ?? '');
  await dialog.choose('System Configuration', systemConfigurationLabel ?? '');
  await dialog.field('Customer').fill((customer ?? '').slice(1).toUpperCase());
  await dialog.field('City').fill(city ?? '');
  await dialog.field('City').press('Enter');

  await expect(dialog.root).toBeHidden();
  await expect(list.filter).toBeFocused();
  const url = new URL(page.url());
  expect(url.pathname).toBe('/devices');
  const wanted = {
    customer: (customer ?? '').slice(1).toUpperCase(),
    csp: csp ?? '',
    model: systemConfiguration ?? '',
    city: city ?? '',
  };
  expect(Object.fromEntries(url.searchParams)).toEqual({ page_size: '25', ...wanted });
  await expect(list.chip()).toHaveCount(4);
  await expect(list.chip('System Configuration')).toContainText(systemConfigurationLabel ?? '');
  const found = await listed(api, { pageSize: 25, ...wanted });
  expect(found).toContain(device.dsn);
  await expect.poll(() => list.dsns()).toEqual(found);

  // The same address shows the same view.
  await page.reload();
  await expect(list.chip()).toHaveCount(4);
  expect(await list.dsns()).toEqual(found);

  await list.chip('CSP').click();
  await list.chip('City').click();
  await expect(list.chip()).toHaveCount(2);
  const { model } = wanted;
  const wider = await listed(api, { pageSize: 25, model, customer: wanted.customer });
  await expect.poll(() => list.dsns()).toEqual(wider);
});

test('devices are filtered by fragrance, in the list and its report', async ({ open, people, fleet }) => {
  const api = await people.api('admin');
  const { dsn } = fleet.find(({ csp }) => csp === 'Northlight Scents');
  const { fragrance } = await readDevice(api, dsn);
  const typed = (fragrance ?? '').slice(1).toUpperCase();
  const page = await open('admin', DESK);
  await page.goto('/devices?page_size=50');
  const list = new DeviceListScreen(page);
  const dialog = await list.openFilter();
  await dialog.field('Fragrance').fill(typed);
  await dialog.field('Fragrance').press('Enter');
  await expect(list.chip('Fragrance')).toContainText(typed);
  await expect(page).toHaveURL(`/devices?page_size=50&fragrance=${new URLSearchParams({ typed }).toString().slice(6)}`);
  const found = await listed(api, { pageSize: 50, fragrance: typed });
  expect(found).toContain(dsn);
  expect(found.length).toBeLessThan(fleet.devices.length);
  await expect.poll(() => list.dsns()).toEqual(found);
  for (const one of found) expect((await readDevice(api, one)).fragrance).toBe(fragrance);
  const report = await api.get('/api/devices/report', { params: { format: 'csv', fragrance: typed } });
  expect((await report.text()).match(/AC000W\d+/g)).toHaveLength(found.length);
});

test('devices are filtered by mode, in the list and its report', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  const list = new DeviceListScreen(page);
  let found = 0;
  for (const [name, code] of [
    ['Off', 1],
    ['24/7', 3],
    ['Run', 4],
  ] as const) {
    const devices = (await readDevices(api)).filter(({ mode }) => mode === code);
    const dsns = devices.map(({ dsn }) => dsn).sort();
    await page.goto('/devices?page_size=50&order=asc&order_by=dsn');
    const dialog = await list.openFilter();
    await dialog.choose('Mode', name);
    await dialog.apply.click();
    await expect(list.chip('Mode')).toContainText(name);
    expect(new URL(page.url()).searchParams.get('mode')).toBe(name);
    await expect.poll(() => list.dsns()).toEqual(dsns);
    const report = await (await api.get('/api/devices/report', { params: { format: 'csv', mode: name } })).text();
    expect((report.match(/AC000W\d+/g) ?? []).sort()).toEqual(dsns);
    found += dsns.length;
  }
  expect(found).toBeGreaterThan(0);
  expect((await api.get('/api/devices', { params: { mode: 'run' } })).status()).toBe(422);
});

test('one or two characters match the beginning, three or more anywhere', async ({ open, fleet }) => {
  const { serialNumber, dsn } = fleet.find((device) => (device.serialNumber?.length ?? 0) > 5);
  const page = await open('admin');
  const list = new DeviceListScreen(page);
  const serial = serialNumber ?? '';
  for (const [typed, matches] of [
    [serial.slice(0, 2), (text: string | null | undefined) => text?.startsWith(serial.slice(0, 2))],
    [serial.slice(1, 3), (text: string | null | undefined) => text?.startsWith(serial.slice(1, 3))],
    [serial.slice(2), (text: string | null | undefined) => text?.includes(serial.slice(2))],
  ] as const) {
    await page.goto('/devices?page_size=50');
    const dialog = await list.openFilter();
    await dialog.field('Serial Number').fill(typed);
    await dialog.apply.click();
    const count = fleet.devices.filter((device) => matches(device.serialNumber)).length;
    await expect(list.footer(`Devices ${Math.min(1, count)} - ${Math.min(50, count)} of ${count}`)).toBeVisible();
  }
  await expect(list.row(dsn)).toBeVisible();
});

test('/devices?csp=NAME is the list of a CSP', async ({ open, fleet }) => {
  const page = await open('observer');
  await page.goto('/devices?csp=Northlight%20Scents&page_size=50&order_by=dsn&order=asc');
  const list = new DeviceListScreen(page);
  await expect(list.chip('CSP')).toContainText('Northlight Scents');
  expect(await list.dsns()).toEqual(fleet.of('Northlight Scents').map(({ dsn }) => dsn));
});

test('users who see no CSPs have no CSP filter', async ({ open, fleet }) => {
  const page = await open('cspAdmin');
  await page.goto('/devices?csp=Northlight%20Scents');
  const list = new DeviceListScreen(page);
  await expect(list.footer(`Devices 1 - 5 of ${fleet.of('Meridian Air').length}`)).toBeVisible();
  await expect(list.chip()).toHaveCount(0);
  const dialog = await list.openFilter();
  for (const label of FILTERS) await expect(dialog.field(label)).toHaveCount(label === 'CSP' ? 0 : 1);
  await dialog.cancel.click();
  await expect(dialog.root).toBeHidden();
});

test('a list left and opened again has its last filters, until they are cleared', async ({ open, fleet }) => {
  const { dsn } = fleet.find(() => true);
  const page = await open('admin');
  const filtered = `/devices?dsn=${dsn}`;
  const list = new DeviceListScreen(page);
  const openAgain = async () => {
    await list.rows.first().click();
    await expect(page.getByRole('link', { name: 'Back' })).toBeVisible();
    await new Shell(page).navigation.getByRole('link', { name: 'Devices' }).click();
  };
  await page.goto(`${filtered}&page_size=25&order_by=dsn`);
  await openAgain();
  await expect(page).toHaveURL(filtered);
  await expect(list.chip('DSN')).toContainText(dsn);
  expect(await list.dsns()).toEqual([dsn]);
  // The address without filters was replaced, so it is not in the history.
  await page.goBack();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await page.goForward();

  // A URL with a query wins.
  await page.goto('/devices?connectionstatus=Online');
  await openAgain();
  await expect(page).toHaveURL('/devices?connectionstatus=Online');

  await list.clearFilters.click();
  await expect(page).toHaveURL('/devices');
  await expect(list.chip()).toHaveCount(0);
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  await openAgain();
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  await expect(page).toHaveURL('/devices');
  await page.goto('/devices');
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  await expect(page).toHaveURL('/devices');
});

test('the keyboard finds a row, opens it and comes back to it', async ({ open }) => {
  const page = await open('admin', { viewport: { width: 1280, height: 500 } });
  await page.goto('/devices?page_size=25&order_by=dsn&order=asc');
  const list = new DeviceListScreen(page);
  const dsns = await list.dsns();
  const link = (place: number) => list.row(dsns[place] ?? '').getByRole('link');
  for (let place = 0; place < 15; place += 1) await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('ArrowUp');
  await expect(link(12)).toBeFocused();
  await expect(link(12)).toBeInViewport();
  const scrolled = () => page.evaluate(() => window.scrollY);
  const before = await scrolled();
  expect(before).toBeGreaterThan(0);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`/devices/${dsns[12]}`);
  await page.goBack();
  await expect(link(12)).toBeFocused();
  await expect.poll(scrolled).toBe(before);

  await page.keyboard.press('?');
  const { shortcuts } = new Shell(page);
  await expect(shortcuts).toContainText('Next or previous row of a list');
  await page.keyboard.press('Escape');
  await expect(shortcuts).toBeHidden();
  await expect(link(12)).toBeFocused();

  await page.keyboard.press('/');
  await expect(list.search).toBeFocused();
  await page.keyboard.type('jk');
  await expect(list.search).toHaveValue('jk');
  await expect(page.getByText('No results')).toBeVisible();
  await expect(list.clearFilters).toHaveCount(1);
});

test('single-key shortcuts can be turned off, also after a reload', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  const shell = new Shell(page);
  await expect(list.rows).toHaveCount(5);
  await shell.openShortcuts();
  await page.keyboard.press('Space');
  await expect(shell.shortcuts.getByRole('switch', { name: 'Single-key shortcuts' })).not.toBeChecked();
  await page.keyboard.press('Escape');
  await expect(shell.account).toBeFocused();
  for (const reloaded of [false, true]) {
    if (reloaded) await page.reload();
    await expect(list.rows).toHaveCount(5);
    for (const key of ['j', 'k', '/', '?']) await page.keyboard.press(key);
    await expect(list.table.locator(':focus')).toHaveCount(0);
    await expect(list.search).not.toBeFocused();
    await expect(shell.shortcuts).toHaveCount(0);
  }
});

test('an empty result shows a notice and how to continue', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/devices?dsn=NO-SUCH-DSN');
  const list = new DeviceListScreen(page);
  await expect(page.getByText('No results')).toBeVisible();
  await expect(list.footer('Devices 0 - 0 of 0')).toBeVisible();
  await list.clearFilters.click();
  await expect(list.rows).toHaveCount(5);
});

test('reload, Back and a visit to a device keep the view', async ({ open }) => {
  const view = '/devices?page=2&order=asc&order_by=dsn&q=AC000W';
  const page = await open('admin');
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  await page.goto(view);
  await expect(list.footer('Devices 6 - 10 of 60')).toBeVisible();
  const before = await list.dsns();

  await page.reload();
  await expect(page).toHaveURL(view);
  await expect(list.search).toHaveValue('AC000W');
  expect(await list.dsns()).toEqual(before);

  await list.row(before[2] ?? '').click();
  await expect(page).toHaveURL(`/devices/${before[2]}`);
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(page).toHaveURL(view);
  expect(await list.dsns()).toEqual(before);

  await list.goTo('Next page');
  await expect(list.footer('Devices 11 - 15 of 60')).toBeVisible();
  await page.goBack();
  await expect(list.footer('Devices 6 - 10 of 60')).toBeVisible();
  expect(await list.dsns()).toEqual(before);
});

test('Back leads to the list as it was, to the same place on it', async ({ open }) => {
  const view = '/devices?page_size=50&order=asc&order_by=dsn&connectionstatus=Online';
  for (const size of [DESK, PHONE]) {
    const page = await open('admin', size);
    await page.goto(view);
    const links = page.getByRole('main').getByRole('link', { name: /^SL-/ });
    await expect(links.nth(30)).toBeVisible();
    await links.nth(30).scrollIntoViewIfNeeded();
    const before = await page.evaluate(() => window.scrollY);
    expect(before).toBeGreaterThan(500);
    await links.nth(30).click();
    const screen = new DeviceScreen(page);
    await expect(screen.product('Mode')).toBeVisible();
    await screen.back.click();
    await expect(page).toHaveURL(view);
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(before);
    await expect(links.nth(30)).toBeInViewport();
  }
});

test('Back from a device that was opened by its address leads to the list with the filters it had last', async ({
  open,
  fleet,
}) => {
  const { dsn } = fleet.find(({ country }) => country === 'United States');
  const page = await open('admin');
  const screen = new DeviceScreen(page);
  await page.goto(`/devices/${dsn}`);
  await screen.back.click();
  await expect(page).toHaveURL('/devices');
  await page.goto('/devices?city=o&connectionstatus=Online');
  await expect(new DeviceListScreen(page).heading).toBeVisible();
  await page.goto(`/devices/${dsn}`);
  await screen.back.click();
  await expect(page).toHaveURL('/devices?city=o&connectionstatus=Online');
});

test('invalid values fall back to the defaults', async ({ open }) => {
  const page = await open('admin');
  const list = new DeviceListScreen(page);
  for (const query of [
    'page=zzz&page_size=7&order=up&order_by=evil&connectionstatus=Maybe',
    'page=-1&page_size=1e9&order_by=__proto__',
    'page=0&page_size=&order=&order_by=&unknown=1',
    'page=1&page=2&page_size=5&page_size=50',
  ]) {
    await page.goto(`/devices?${query}`);
    await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  }
  await page.goto('/devices?page=9999');
  await expect(list.footer('Devices 56 - 60 of 60')).toBeVisible();
});

test('the page shows that the list is loading', async ({ open, frontProxy }) => {
  const page = await open('admin', { through: frontProxy });
  const release = frontProxy.hold(LIST_CALL);
  await page.goto('/devices');
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
});

test('a list that cannot be read can be retried', async ({ open, frontProxy, guard }) => {
  guard.expect(503, /^\/api\/devices$/);
  const page = await open('admin', { through: frontProxy });
  const mend = frontProxy.fail({ match: LIST_CALL, status: 503 });
  frontProxy.hold(EVENTS);
  await page.goto('/devices');
  await expect(page.getByRole('alert')).toContainText('Failed to load devices');
  mend();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the list is available while the cloud is not', async ({ open, system }) => {
  // The role of a new session has just been read; after a minute the console must read it from the cloud again.
  const page = await open('observer', { ownSession: true });
  system.cloudProxy.cut();
  await page.goto('/devices');
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
});
