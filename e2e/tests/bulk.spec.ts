import type { Page } from '@playwright/test';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice, readDevices } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { BulkEditScreen } from '../screens/bulk-edit';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { alert, Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { UserListScreen } from '../screens/user-list';

// Assigns devices to other CSPs.
test.use({ world: 'bulk' });

const TARGET = 'Meridian Air';
const SAVED = 'Successfully updated device details';
const FAILED = 'Failed to update details';

async function openBulk(page: Page, query = ''): Promise<{ list: DeviceListScreen; bulk: BulkEditScreen }> {
  await page.goto(`/devices${query}`);
  const list = new DeviceListScreen(page);
  await list.bulkEdit.click();
  const bulk = new BulkEditScreen(page);
  await expect(bulk.panel).toBeVisible();
  return { list, bulk };
}

test('devices of two pages get the CSP, in the list and on their pages', async ({ open, people }) => {
  const page = await open('admin', DESK);
  const { list, bulk } = await openBulk(page, '?csp=Quayside+Services&order_by=dsn&order=asc');
  await expect(bulk.save).toBeDisabled();
  expect(await list.hiddenWidth()).toBe(0);
  await bulk.pageBox.check();
  const dsns = await list.dsns();
  await list.goTo('Next page');
  await expect.poll(() => list.dsns()).not.toEqual(dsns);
  const [another = ''] = await list.dsns();
  await bulk.boxes.first().check();
  await list.goTo('Previous page');
  await expect.poll(() => list.dsns()).toEqual(dsns);
  await expect(bulk.pageBox).toBeChecked();
  await expect(bulk.chosen(6)).toBeVisible();
  await expect(bulk.save).toBeDisabled();
  await bulk.chooseCsp(TARGET);
  await expectAccessible(page, 'bulk edit');
  await bulk.save.click();
  await expect(alert(page, SAVED)).toBeVisible();
  await expect(bulk.panel).toBeHidden();
  await expect(list.bulkEdit).toBeFocused();

  const api = await people.api('admin');
  for (const dsn of [...dsns, another]) expect((await readDevice(api, dsn)).csp).toBe(TARGET);
  await page.goto(`/devices?dsn=${another}`);
  await expect(list.row(another)).toBeVisible();
  await expect(await list.cell(another, 'CSP')).toHaveText(TARGET);
  await page.goto(`/devices/${another}`);
  await expect(new DeviceScreen(page).heading).toBeVisible();
  await expect(page.getByRole('region', { name: 'Name' })).toContainText(TARGET);
});

test('a failed device stays selected with its reason, and a retry succeeds', async ({ open, system, people }) => {
  const page = await open('admin', DESK);
  const { list, bulk } = await openBulk(page, '?csp=Northlight+Scents&order_by=dsn&order=asc');
  const [bad = '', good = ''] = await list.dsns();
  const heal = system.cloudProxy.fail({ match: new RegExp(`^GET .*dsns/${bad}`), status: 422 });
  await bulk.boxes.nth(0).check();
  await bulk.boxes.nth(1).check();
  await bulk.chooseCsp(TARGET);
  await bulk.save.click();
  await expect(alert(page, FAILED)).toBeVisible();
  await expect(bulk.failures).toContainText(bad);
  await expect(bulk.chosen(1)).toBeVisible();
  await expectAccessible(page, 'bulk edit with a failure');
  const api = await people.api('admin');
  expect((await readDevice(api, good)).csp).toBe(TARGET);
  heal();
  expect((await readDevice(api, bad)).csp).toBe('Northlight Scents');
  await bulk.progress.getByRole('button', { name: 'Retry' }).click();
  await expect(alert(page, SAVED)).toBeVisible();
  expect((await readDevice(api, bad)).csp).toBe(TARGET);
});

test('a refused start is a failure and keeps the selection', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/devices\/csp$/);
  const page = await open('admin', { ...DESK, through: frontProxy });
  const { bulk } = await openBulk(page);
  await bulk.boxes.first().check();
  await bulk.chooseCsp(TARGET);
  frontProxy.fail({ match: /^PUT \/api\/devices\/csp/, status: 500, times: 1 });
  await bulk.save.click();
  await expect(alert(page, FAILED)).toBeVisible();
  await expect(bulk.chosen(1)).toBeVisible();
  await expect(bulk.boxes.first()).toBeChecked();
});

test('a reload during the job finds it again', async ({ open, system }) => {
  const page = await open('admin', DESK);
  const { list, bulk } = await openBulk(page, '?csp=Northlight+Scents&order_by=dsn&order=asc');
  const [dsn = ''] = await list.dsns();
  const release = system.cloudProxy.hold(new RegExp(`^GET .*dsns/${dsn}`));
  await bulk.boxes.first().check();
  await bulk.chooseCsp(TARGET);
  await bulk.save.click();
  await expect(bulk.progress).toContainText('0 of 1 devices done');
  await page.reload();
  await expect(bulk.progress).toContainText('0 of 1 devices done');
  await expect(bulk.boxes.first()).toBeDisabled();
  release();
  await expect(alert(page, SAVED)).toBeVisible();
});

test('on a phone, in the dark scheme, cards can be selected', async ({ open, people }) => {
  const page = await open('admin', { ...PHONE, colorScheme: 'dark' });
  const { bulk } = await openBulk(page, '?csp=Quayside+Services&order_by=dsn&order=asc');
  await bulk.boxes.first().tap();
  await expect(bulk.chosen(1)).toBeVisible();
  await bulk.chooseCsp(TARGET);
  // The pinned bar of the page covers part of what is scrolled under it.
  await page.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(page, 'bulk edit on a phone');
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
  await bulk.save.tap();
  await expect(alert(page, SAVED)).toBeVisible();
  const api = await people.api('admin');
  const changes = await (await api.get('/api/audit?operation=assign_csp&limit=1')).json();
  expect(changes.entries[0].result).toBe('done');
});

test('the keyboard is enough for a bulk edit', async ({ open }) => {
  const page = await open('admin', DESK);
  await page.goto('/devices?csp=Quayside+Services');
  const list = new DeviceListScreen(page);
  const bulk = new BulkEditScreen(page);
  await tabTo(page, list.bulkEdit);
  await page.keyboard.press('Enter');
  await tabTo(page, bulk.csp);
  await page.keyboard.type(TARGET);
  await expect(page.getByRole('option', { name: TARGET })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(bulk.csp).toHaveValue(TARGET);
  await tabTo(page, bulk.boxes.first());
  await page.keyboard.press('Space');
  await expect(bulk.chosen(1)).toBeVisible();
  await expect(bulk.save).toBeEnabled();
  await bulk.save.focus();
  await page.keyboard.press('Enter');
  await expect(alert(page, SAVED)).toBeVisible();
});

test('only an OEM admin sees Bulk Edit', async ({ open, people }) => {
  for (const person of ['observer', 'cspAdmin', 'cspObserver', 'cspTech'] as const) {
    const page = await open(person);
    await page.goto('/devices');
    const list = new DeviceListScreen(page);
    await expect(list.heading).toBeVisible();
    await expect(list.bulkEdit).toHaveCount(0);
    const api = await people.api(person);
    const answer = await api.put('/api/devices/csp', { data: { dsns: ['AC000W000100000'], csp: TARGET } });
    expect(answer.status(), person).toBe(403);
  }
});

test('leaving a page while its job runs causes no error, and the page shows the result when it is opened again', async ({
  open,
  system,
  people,
}) => {
  const page = await open('admin', DESK);
  const { list, bulk } = await openBulk(page, '?csp=Northlight+Scents&order_by=dsn&order=asc');
  const [dsn = ''] = await list.dsns();
  const release = system.cloudProxy.hold(new RegExp(`^GET .*dsns/${dsn}`));
  await bulk.boxes.first().check();
  await bulk.chooseCsp(TARGET);
  await bulk.save.click();
  await expect(bulk.progress).toContainText('0 of 1 devices done');
  const { navigation } = new Shell(page);
  await navigation.getByRole('link', { name: 'Users' }).click();
  await expect(new UserListScreen(page).heading).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toHaveCount(0);
  release();
  const api = await people.api('admin');
  await expect.poll(async () => (await readDevice(api, dsn)).csp).toBe(TARGET);
  await navigation.getByRole('link', { name: 'Devices' }).click();
  await expect(list.heading).toBeVisible();
  await expect(alert(page, SAVED)).toBeVisible();
});

test('stopping a job by keyboard shows the result of devices in progress and keeps the focus nearby', async ({
  open,
  system,
}) => {
  const page = await open('admin', DESK);
  const { list, bulk } = await openBulk(page, '?csp=Northlight+Scents&order_by=dsn&order=asc');
  const [dsn = ''] = await list.dsns();
  const release = system.cloudProxy.hold(new RegExp(`^GET .*dsns/${dsn}`));
  await bulk.boxes.first().check();
  await bulk.chooseCsp(TARGET);
  await bulk.save.focus();
  await page.keyboard.press('Enter');
  await expect(bulk.progress).toContainText('0 of 1 devices done');
  await expect(bulk.progress).toBeFocused();
  await tabTo(page, bulk.progress.getByRole('button', { name: 'Stop' }));
  await page.keyboard.press('Enter');
  await expect(bulk.progress).toContainText('Cancelled');
  await expect(bulk.progress).toBeFocused();
  await expect(bulk.chosen(1)).toBeVisible();
  release();
  await expect(alert(page, SAVED)).toBeVisible();
  await expect(bulk.panel).toBeHidden();
  await expect(list.bulkEdit).toBeFocused();
});

// Must be the last test of this file: it moves 50 devices to one CSP.
test('the page follows a job of 50 devices until it ends', async ({ open, people }) => {
  const page = await open('admin', DESK);
  const { bulk } = await openBulk(page, '?page_size=50&order_by=dsn&order=asc');
  await expect(bulk.boxes).toHaveCount(50);
  await bulk.pageBox.check();
  await expect(bulk.chosen(50)).toBeVisible();
  await bulk.chooseCsp(TARGET);
  await bulk.save.click();
  await expect(bulk.progress).toBeVisible();
  await expect(bulk.progress).toBeInViewport();
  await expect(alert(page, SAVED)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Something went wrong' })).toHaveCount(0);
  const devices = (await readDevices(await people.api('admin'))).filter(({ csp }) => csp === TARGET);
  expect(devices.length).toBeGreaterThanOrEqual(50);
});
