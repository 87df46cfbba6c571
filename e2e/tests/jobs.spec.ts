import { readFileSync } from 'node:fs';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice, readDevices } from '../harness/fleet';
import { BulkEditScreen } from '../screens/bulk-edit';
import { CopyScreen } from '../screens/copy-page';
import { DeviceListScreen } from '../screens/device-list';
import { JobsScreen } from '../screens/jobs';
import { ReportDialog } from '../screens/report-dialog';
import { DESK, PHONE } from '../screens/sizes';

// Assigns devices to other CSPs.
test.use({ world: 'jobs' });

const TARGET = 'Meridian Air';

test('a job is found again after its tab was closed, with progress, results and a retry', async ({
  open,
  system,
  people,
}) => {
  const page = await open('admin', DESK);
  await page.goto('/devices?csp=Northlight+Scents&order_by=dsn&order=asc');
  const list = new DeviceListScreen(page);
  await list.bulkEdit.click();
  const bulk = new BulkEditScreen(page);
  await expect(bulk.panel).toBeVisible();
  const [held = '', bad = '', good = ''] = await list.dsns();
  const heal = system.cloudProxy.fail({ match: new RegExp(`^GET .*dsns/${bad}`), status: 422 });
  const release = system.cloudProxy.hold(new RegExp(`^GET .*dsns/${held}`));
  for (const number of [0, 1, 2]) await bulk.boxes.nth(number).check();
  await bulk.chooseCsp(TARGET);
  await bulk.save.click();
  await expect(bulk.progress).toContainText('1 of 3 devices done');
  await page.close();

  const later = await open('admin', DESK);
  await later.goto('/jobs');
  const jobs = new JobsScreen(later);
  await expect(jobs.mark).toBeVisible();
  await expect(jobs.rows.first()).toContainText('Running1 of 3 devices done1 failed');
  await expectAccessible(later, 'jobs');
  await jobs.newest.click();
  await expect(jobs.progress).toContainText('1 of 3 devices done');
  await expect(jobs.device(held)).toContainText('Waiting');
  release();
  await expect(jobs.progress).toContainText('2 of 3 devices done');
  await expect(jobs.device(good)).toContainText('Done');
  await expect(jobs.device(bad)).toContainText('Failed');
  await expect(jobs.mark).toBeHidden();
  await expectAccessible(later, 'a job');

  heal();
  await jobs.retry.click();
  await expect(jobs.progress).toContainText('3 of 3 devices done');
  await expect(jobs.device(bad)).toContainText('Done');
  expect((await readDevice(await people.api('admin'), bad)).csp).toBe(TARGET);

  // From where to where, with serial number and link, on the page and in its report.
  const { serialNumber } = await readDevice(await people.api('admin'), good);
  const link = jobs.device(good).getByRole('link', { name: serialNumber ?? '' });
  await expect(link).toHaveAttribute('href', `/devices/${good}`);
  await expect(jobs.device(good)).toContainText(/CSP Northlight Scents → .*Meridian Air/);
  const report = readFileSync(await (await new ReportDialog(later).save('CSV')).path(), 'utf8');
  for (const text of [serialNumber, good, `CSP: Northlight Scents → ${TARGET}`]) expect(report).toContain(text);
});

test('on a phone the jobs are cards, and one of them opens its devices', async ({ open }) => {
  const page = await open('admin', { ...PHONE, colorScheme: 'dark' });
  await page.goto('/devices?csp=Quayside+Services');
  await new DeviceListScreen(page).bulkEdit.click();
  const bulk = new BulkEditScreen(page);
  await bulk.boxes.first().tap();
  await bulk.chooseCsp(TARGET);
  await bulk.save.tap();
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully updated device details' })).toBeVisible();
  await page.goto('/jobs');
  const jobs = new JobsScreen(page);
  await expectAccessible(page, 'jobs on a phone');
  await jobs.newest.tap();
  await expect(jobs.devices).toContainText('Done');
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
});

test('a job for a filter previews its changes, and processes exactly the devices that match when it starts', async ({
  open,
  people,
}) => {
  const api = await people.api('admin');
  const dsnsOf = async (name: string) =>
    (await readDevices(api)).filter(({ csp }) => csp === name).map(({ dsn }) => dsn);
  const [gone = '', ...rest] = (await dsnsOf('Quayside Services')).sort();
  const before = await dsnsOf(TARGET);
  const page = await open('admin', DESK);
  await page.goto('/devices?csp=Quayside+Services');
  await new DeviceListScreen(page).bulkEdit.click();
  const bulk = new BulkEditScreen(page);
  await page.getByRole('button', { name: `Select all ${rest.length + 1} that match` }).click();
  await expect(bulk.chosen(rest.length + 1)).toBeVisible();
  await bulk.chooseCsp(TARGET);
  await bulk.showPreview.click();
  await expect(bulk.preview).toContainText(`${rest.length + 1} would change`);
  for (const dsn of [gone, ...rest]) {
    await expect(bulk.preview.getByRole('listitem').filter({ hasText: dsn }).first()).toContainText(
      `Quayside Services → becomes ${TARGET}`,
    );
  }
  await expectAccessible(page, 'the preview of a bulk edit');

  // Somebody takes a device from this CSP before the job starts.
  const moved = await api.put(`/api/devices/dsns/${gone}`, { data: { csp: 'Northlight Scents' } });
  expect(moved.status()).toBe(200);
  await bulk.save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully updated device details' })).toBeVisible();
  expect((await dsnsOf(TARGET)).sort()).toEqual([...before, ...rest].sort());
  expect((await readDevice(api, gone)).csp).toBe('Northlight Scents');
});

test('undoing a job keeps a value that somebody changed since, and names its device', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  await page.goto('/devices?csp=Northlight+Scents&order_by=dsn&order=asc');
  const list = new DeviceListScreen(page);
  await list.bulkEdit.click();
  const bulk = new BulkEditScreen(page);
  await expect(bulk.panel).toBeVisible();
  const [changed = '', kept = ''] = await list.dsns();
  for (const number of [0, 1]) await bulk.boxes.nth(number).check();
  await bulk.chooseCsp(TARGET);
  await bulk.save.click();
  await expect(page.getByRole('alert').filter({ hasText: 'You can undo it on the Jobs page' })).toBeVisible();
  const other = await api.put(`/api/devices/dsns/${changed}`, { data: { csp: 'Quayside Services' } });
  expect(other.status()).toBe(200);

  await page.goto('/jobs');
  const jobs = new JobsScreen(page);
  await jobs.newest.click();
  await expect(jobs.progress).toContainText('Undo restores each value that nobody has changed since.');
  await jobs.undo.click();
  await expect(page.getByRole('heading', { name: 'Undid: Assigned devices to a CSP' })).toBeVisible();
  await expect(jobs.progress).toContainText('1 of 2 devices done1 not fully undone');
  await expect(jobs.device(changed)).toContainText('Not fully undoneChanged since, so left: CSP.');
  await expect(jobs.device(kept)).toContainText('Done');
  await expectAccessible(page, 'the undo of a job');
  expect((await readDevice(api, changed)).csp).toBe('Quayside Services');
  expect((await readDevice(api, kept)).csp).toBe('Northlight Scents');

  await page.getByRole('link', { name: 'Show the undone job' }).click();
  await expect(page.getByRole('link', { name: 'This job was undone. Show the undo' })).toBeVisible();
  await expect(jobs.undo).toBeHidden();
});

test('on a phone the preview of a copy shows the changes of the device', async ({ open, people }) => {
  const devices = await readDevices(await people.api('admin'));
  const ours = devices.filter(({ csp }) => csp === 'Northlight Scents');
  const source = ours[0];
  const target = ours.find(({ customer }) => customer !== source?.customer) ?? ours[1];
  const page = await open('admin', { ...PHONE, colorScheme: 'dark' });
  await page.goto(`/devices/${source?.dsn}/copy`);
  const screen = new CopyScreen(page);
  await screen.option('Name').tap();
  await screen.targets.search.fill(target?.dsn ?? '');
  await expect(screen.cards).toHaveCount(1);
  await screen.cards.first().tap();
  await screen.showPreview.tap();
  await expect(screen.preview).toContainText('1 would change');
  await expect(screen.preview).toContainText(target?.dsn ?? '');
  // A control that a bar half covers would count as too small, and which one that is depends on the devices. Here nothing scrolls.
  await page.setViewportSize({ ...PHONE.viewport, height: 3000 });
  await expectAccessible(page, 'the preview of a copy on a phone');
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PHONE.viewport.width);
});
