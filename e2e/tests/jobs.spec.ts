import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { readDevice } from '../harness/fleet';
import { BulkEditScreen } from '../screens/bulk-edit';
import { DeviceListScreen } from '../screens/device-list';
import { JobsScreen } from '../screens/jobs';
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
