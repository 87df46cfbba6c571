import { readFileSync } from 'node:fs';
import type { Download } from '@playwright/test';
import type { CspList, UserList } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { columnOf, cspOf, EVERYBODY } from '../harness/people';
import { permission } from '../harness/permissions';
import { DeviceListScreen } from '../screens/device-list';
import { ReportDialog } from '../screens/report-dialog';
import { DESK, PHONE } from '../screens/sizes';

const LISTS = ['devices', 'users', 'csps'] as const;
const REPORT_CALL = /^GET \/api\/devices\/report/;

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

/** The records of a CSV file, the header first. No cell of the demo has a line break. */
async function records(download: Download): Promise<string[]> {
  return (await textOf(download)).trimEnd().split('\r\n');
}

for (const person of EVERYBODY) {
  test(`each list has its report for who may open it: ${person}`, async ({ open, people, fleet }) => {
    const page = await open(person);
    const csp = cspOf(person);
    const api = await people.api(person);
    for (const list of LISTS) {
      const { verdict } = permission('button', `${list} list: Report`);
      const report = new ReportDialog(page);
      await page.goto(`/${list}`);
      if (verdict(columnOf(person)) === 'deny') {
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
        await expect(report.button).toHaveCount(0);
        continue;
      }
      const download = await report.save('CSV');
      expect(download.suggestedFilename()).toBe('report.csv');
      const [header = '', ...rows] = await records(download);
      await expect(report.root).toBeHidden();
      if (list === 'devices') {
        const expected = (csp === null ? fleet.devices : fleet.of(csp)).map(({ dsn }) => dsn);
        expect(rows.map((row) => /AC000W\d+/.exec(row)?.[0]).sort()).toEqual([...expected].sort());
        expect(header.split(',').includes('CSP')).toBe(csp === null);
      } else if (list === 'users') {
        const { total }: UserList = await (await api.get('/api/users')).json();
        expect(rows).toHaveLength(total);
        expect(header.split(',').includes('CSP Name')).toBe(csp === null);
      } else {
        const { csps, total }: CspList = await (await api.get('/api/csps?pageSize=50')).json();
        expect(rows).toEqual(csps.map(({ name, deviceCount, userCount }) => `${name},${deviceCount},${userCount}`));
        expect(rows).toHaveLength(total);
      }
    }
  });
}

test('a report is printable or csv, of the list as it is filtered and sorted', async ({ open, fleet }) => {
  const page = await open('admin', DESK);
  await page.goto('/devices?page=2&csp=Northlight%20Scents&order_by=dsn&order=asc');
  const report = new ReportDialog(page);
  await report.button.click();
  await expect(report.types).toHaveCount(2);
  await expect(report.type('Printable')).toBeChecked();
  await expect(report.type('CSV')).not.toBeChecked();
  await report.cancel.click();
  await expect(report.root).toBeHidden();
  await expect(report.button).toBeFocused();

  const csv = await report.save('CSV');
  const dsns = fleet.of('Northlight Scents').map(({ dsn }) => dsn);
  expect((await records(csv)).slice(1).map((row) => row.split(',')[1])).toEqual(dsns);

  const printable = await report.save('Printable');
  expect(printable.suggestedFilename()).toBe('report.html');
  const text = await textOf(printable);
  for (const dsn of dsns) expect(text).toContain(dsn);
});

test('a printable report stands for itself', async ({ open, browser, fleet }, testInfo) => {
  const page = await open('admin');
  await page.goto('/devices?connectionstatus=Online');
  const download = await new ReportDialog(page).save('Printable');
  const file = testInfo.outputPath('report.html');
  await download.saveAs(file);

  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, javaScriptEnabled: colorScheme === 'light' });
    const opened = await context.newPage();
    const loaded: string[] = [];
    opened.on('request', (request) => loaded.push(request.url()));
    await opened.goto(`file://${file}`);
    await expect(opened).toHaveTitle('Sillage - Devices');
    await expect(opened.getByRole('heading', { name: 'Devices' })).toBeVisible();
    await expect(opened.getByRole('definition')).toHaveText(['Online']);
    const rows = opened.locator('tbody').getByRole('row');
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await rows.count()).toBeLessThanOrEqual(fleet.devices.length);
    expect(loaded).toEqual([`file://${file}`]);
    if (colorScheme === 'light') await expectAccessible(opened, 'report');
    await context.close();
  }
});

test('a report that fails says so', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/devices\/report$/);
  const page = await open('cspTech', { through: frontProxy });
  await page.goto('/devices');
  const report = new ReportDialog(page);
  const mend = frontProxy.fail({ match: REPORT_CALL, status: 500 });
  await report.button.click();
  await report.generate.click();
  await expect(page.getByText('Failed to generate report')).toBeVisible();
  await expect(report.root).toBeVisible();
  mend();
  const download = page.waitForEvent('download');
  await report.generate.click();
  expect((await download).suggestedFilename()).toBe('report.html');
});

test('the keyboard is enough for a report', async ({ open }) => {
  const page = await open('cspAdmin');
  await page.goto('/users');
  const report = new ReportDialog(page);
  await tabTo(page, report.button);
  await page.keyboard.press('Enter');
  await tabTo(page, report.type('Printable'));
  await page.keyboard.press('ArrowDown');
  await expect(report.type('CSV')).toBeChecked();
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await download).suggestedFilename()).toBe('report.csv');
  await expect(report.button).toBeFocused();
});

for (const size of [PHONE, DESK]) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`the dialog is accessible at ${size.viewport.width} px, ${colorScheme}`, async ({ open }) => {
      const page = await open('cspTech', { ...size, colorScheme });
      await page.goto('/devices');
      await expect(new DeviceListScreen(page).heading).toBeVisible();
      const report = new ReportDialog(page);
      await report.button.click();
      await expect(report.generate).toBeInViewport();
      await expectAccessible(page, 'report dialog');
    });
  }
}
