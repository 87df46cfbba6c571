import { csvRecords } from '../harness/csv';
import { expect, test } from '../harness/fixtures';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceListScreen } from '../screens/device-list';
import { ReportDialog } from '../screens/report-dialog';

// The added device stays, and other tests count the fleet.
test.use({ world: 'install date' });

test('an install date is set, edited, shown, sorted, filtered by a range and reported', async ({ open, system }) => {
  const dsn = system.claimStock();
  const page = await open('admin');
  await page.goto('/devices/add');
  const form = new DeviceFormScreen(page);
  const installDate = page.getByLabel('Install Date');
  const today = await page.evaluate(() => {
    const now = new Date();
    const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
    return parts.map((part) => String(part).padStart(2, '0')).join('-');
  });
  await expect(installDate).toHaveValue(today);
  await form.fillIn();
  await form.choose('CSP', 'Meridian Air');
  await form.text('DSN').fill(dsn);
  await installDate.fill('2024-02-29');
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await expect(page.getByText('Feb 29, 2024', { exact: true })).toBeVisible();

  await page.goto(`/devices/${dsn}/edit`);
  await expect(installDate).toHaveValue('2024-02-29');
  await installDate.fill('2024-03-01');
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  await expect(page.getByText('Mar 1, 2024', { exact: true })).toBeVisible();

  // Devices without a date come last in both directions.
  await page.goto('/devices');
  const list = new DeviceListScreen(page);
  // Descending is the list's default order and not part of the URL.
  for (const search of [/\?order=asc&order_by=installedat$/, /\?order_by=installedat$/]) {
    await list.sortBy('Installed').click();
    await expect(page).toHaveURL(search);
    await expect.poll(async () => (await list.dsns())[0]).toBe(dsn);
  }
  await expect(await list.cell(dsn, 'Installed')).toHaveText('Meridian AirMar 1, 2024');
  const [, second = ''] = await list.dsns();
  await expect(await list.cell(second, 'Installed')).not.toContainText('20');

  const filter = await list.openFilter();
  await filter.root.getByLabel('Installed from').fill('2024-03-01');
  await filter.root.getByLabel('Installed through').fill('2024-03-31');
  await filter.apply.click();
  await expect.poll(() => list.dsns()).toEqual([dsn]);
  await expect(list.chip('Installed from')).toContainText('Mar 1, 2024');

  const [head = [], ...rows] = await csvRecords(await new ReportDialog(page).save('CSV'));
  const cells = ['DSN', 'CSP', 'Installed'].map((name) => head.indexOf(name));
  expect(rows.map((row) => cells.map((cell) => row[cell]))).toEqual([[dsn, 'Meridian Air', '2024-03-01']]);

  await page.goto('/devices?installedfrom=2024-03-02');
  await expect(page.getByText('No device matches the filters.')).toBeVisible();
});
