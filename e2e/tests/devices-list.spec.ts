import type { APIRequestContext } from '@playwright/test';
import type { DeviceList } from '../../web/src/api/schema.gen';
import { expect, test } from '../harness/fixtures';
import { cspOf, EVERYBODY } from '../harness/people';
import { DeviceListScreen } from '../screens/device-list';

const LIST_CALL = /^GET \/api\/devices\?/;
const EVENTS = /^GET \/api\/events/;

/** The dsns of the list that the server gives for these parameters. */
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

test('a row says what the device is', async ({ open, fleet }) => {
  const device = fleet.find(({ csp }) => csp === 'Northlight Scents');
  const page = await open('admin');
  await page.goto(`/devices?dsn=${device.dsn}`);
  const row = new DeviceListScreen(page).row(device.dsn);
  for (const field of [
    ...[device.serialNumber, device.csp, device.customer, device.serviceArea, device.systemConfigurationLabel],
    ...[device.network, device.city, device.country, `${device.fragranceRemaining}%`],
  ]) {
    await expect(row).toContainText(field ?? 'missing');
  }
  await expect(row).toContainText(/Online|Offline/);
  await row.click();
  await expect(page).toHaveURL(`/devices/${device.dsn}`);
});

test('pages, page sizes and the footer', async ({ open, people }) => {
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

  await list.choose('Rows per page', '25');
  await expect(list.footer('Devices 1 - 25 of 60')).toBeVisible();
  await expect(page).toHaveURL('/devices?page_size=25');
  await list.goTo('Page 3');
  await expect(list.footer('Devices 51 - 60 of 60')).toBeVisible();
  await list.goTo('Previous page');
  await expect(list.footer('Devices 26 - 50 of 60')).toBeVisible();
});

test('headers sort, and say how', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin');
  await page.goto('/devices?page=3');
  const list = new DeviceListScreen(page);
  await list.sortBy('Customer').click();
  await expect(page).toHaveURL('/devices?order=asc&order_by=customer');
  await expect(list.table.getByRole('columnheader', { name: 'Customer' })).toHaveAttribute('aria-sort', 'ascending');
  expect(await list.dsns()).toEqual(await listed(api, { orderBy: 'customer', order: 'asc' }));

  await list.sortBy('Customer').click();
  await expect(page).toHaveURL('/devices?order_by=customer');
  await expect(list.table.getByRole('columnheader', { name: 'Customer' })).toHaveAttribute('aria-sort', 'descending');
  expect(await list.dsns()).toEqual(await listed(api, { orderBy: 'customer', order: 'desc' }));

  for (const label of ['Serial Number', 'DSN', 'CSP', 'Service Area', 'System Configuration', 'Network', 'Status']) {
    await list.sortBy(label).click();
    await expect(list.table.getByRole('columnheader', { name: label })).toHaveAttribute('aria-sort', 'ascending');
  }
});

test('filters stand in the URL and combine', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin');
  await page.goto('/devices?page=4');
  const list = new DeviceListScreen(page);
  await list.choose('Status', 'Online');
  await expect(page).toHaveURL('/devices?connectionstatus=Online');
  await expect(list.rows.filter({ hasText: 'Offline' })).toHaveCount(0);

  await list.dsnFilter.fill('w00010001');
  await expect(page).toHaveURL('/devices?connectionstatus=Online&dsn=w00010001');
  const found = await listed(api, { connectionstatus: 'Online', dsn: 'w00010001' });
  expect(found.length).toBeGreaterThan(0);
  await expect.poll(() => list.dsns()).toEqual(found);

  await list.clearFilters.click();
  await expect(page).toHaveURL('/devices');
  await expect(list.dsnFilter).toHaveValue('');
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
});

test('nothing found says so, and how to go on', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/devices?dsn=NO-SUCH-DSN');
  const list = new DeviceListScreen(page);
  await expect(page.getByText('No results')).toBeVisible();
  await expect(list.footer('Devices 0 - 0 of 0')).toBeVisible();
  await list.clearFilters.click();
  await expect(list.rows).toHaveCount(5);
});

test('reload, Back and a visit to a device keep the view', async ({ open }) => {
  const view = '/devices?page=2&order=asc&order_by=dsn&dsn=AC000W';
  const page = await open('admin');
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  await expect(list.footer('Devices 1 - 5 of 60')).toBeVisible();
  await page.goto(view);
  await expect(list.footer('Devices 6 - 10 of 60')).toBeVisible();
  const before = await list.dsns();

  await page.reload();
  await expect(page).toHaveURL(view);
  await expect(list.dsnFilter).toHaveValue('AC000W');
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

test('values that make no sense fall back to the defaults', async ({ open }) => {
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

test('while the list is awaited the page says so', async ({ open, frontProxy }) => {
  const page = await open('admin', { through: frontProxy });
  const release = frontProxy.hold(LIST_CALL);
  await page.goto('/devices');
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
});

test('a list that cannot be read can be asked for again', async ({ open, frontProxy, guard }) => {
  guard.expect(503, /^\/api\/devices$/);
  const page = await open('admin', { through: frontProxy });
  const mend = frontProxy.fail({ match: LIST_CALL, status: 503 });
  // A stream that opens would make the page read again by itself.
  frontProxy.hold(EVENTS);
  await page.goto('/devices');
  await expect(page.getByRole('alert')).toContainText('Failed to load devices');
  mend();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('the list is there while the cloud is not', async ({ open, system }) => {
  // A session that the cloud has just confirmed; after a minute the console would have to ask it again.
  const page = await open('observer', { ownSession: true });
  system.cloudProxy.cut();
  await page.goto('/devices');
  await expect(new DeviceListScreen(page).rows).toHaveCount(5);
});
