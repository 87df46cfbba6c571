import { readFileSync } from 'node:fs';
import type { Download } from '@playwright/test';
import type { CspList, UserList } from '../../web/src/api/schema.gen';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { csvRecords } from '../harness/csv';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { columnOf, cspOf, EVERYBODY } from '../harness/people';
import { permission } from '../harness/permissions';
import { DeviceListScreen } from '../screens/device-list';
import { ReportDialog } from '../screens/report-dialog';
import { DESK, PHONE } from '../screens/sizes';

const LISTS = ['devices', 'users', 'csps'] as const;
const REPORT_CALL = /^GET \/api\/devices\/report/;
/** The area of A4 in landscape within the margins of a report, in CSS pixels. */
const PAPER = { width: 1032, height: 692 };

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

for (const person of EVERYBODY) {
  test(`each list has a report for users who may open it: ${person}`, async ({ open, people, fleet }) => {
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
      expect(download.suggestedFilename()).toMatch(new RegExp(`^${list}-\\d{4}-\\d\\d-\\d\\d\\.csv$`));
      const [header = [], ...rows] = await csvRecords(download);
      await expect(report.root).toBeHidden();
      if (list === 'devices') {
        const expected = (csp === null ? fleet.devices : fleet.of(csp)).map(({ dsn }) => dsn);
        expect(rows.map((row) => row[header.indexOf('DSN')]).sort()).toEqual([...expected].sort());
        expect(header.includes('CSP')).toBe(csp === null);
      } else if (list === 'users') {
        const { total }: UserList = await (await api.get('/api/users')).json();
        expect(rows).toHaveLength(total);
        expect(header.includes('CSP Name')).toBe(csp === null);
      } else {
        const { csps, total }: CspList = await (await api.get('/api/csps?pageSize=50')).json();
        expect(rows).toEqual(csps.map(({ name, ...counts }) => [name, `${counts.deviceCount}`, `${counts.userCount}`]));
        expect(rows).toHaveLength(total);
      }
    }
  });
}

test('a report is printable, a workbook or CSV, with the filters and order of the list', async ({ open, fleet }) => {
  const page = await open('admin', DESK);
  await page.goto('/devices?page=2&csp=Northlight%20Scents&order_by=dsn&order=asc');
  const report = new ReportDialog(page);
  await report.button.click();
  await expect(report.types).toHaveCount(3);
  await expect(report.type('Printable')).toBeChecked();
  await expect(report.type('CSV')).not.toBeChecked();
  await report.cancel.click();
  await expect(report.root).toBeHidden();
  await expect(report.button).toBeFocused();

  const csv = await report.save('CSV');
  const dsns = fleet.of('Northlight Scents').map(({ dsn }) => dsn);
  expect((await csvRecords(csv)).slice(1).map((row) => row[1])).toEqual(dsns);

  const workbook = await report.save('Excel');
  expect(workbook.suggestedFilename()).toMatch(/^devices-northlight-scents-\d{4}-\d\d-\d\d\.xlsx$/);
  expect(readFileSync(await workbook.path(), 'latin1')).toMatch(/^PK.*\[Content_Types\]\.xml/s);

  const printable = await report.save('Printable');
  expect(printable.suggestedFilename()).toBe('report.html');
  const text = await textOf(printable);
  for (const dsn of dsns) expect(text).toContain(dsn);
});

test('a printable report is a self-contained page', async ({ open, browser, fleet }, testInfo) => {
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
    await expect(opened).toHaveTitle(/^Sillage - Devices \(Online\), \d{4}-\d\d-\d\d$/);
    await expect(opened.getByRole('heading', { name: 'Devices' })).toBeVisible();
    const rows = opened.locator('tbody').getByRole('row');
    await expect(opened.getByRole('term')).toHaveText(['Status', 'Rows', 'Created']);
    await expect(opened.getByRole('definition')).toHaveText([
      'Online',
      String(await rows.count()),
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    ]);
    expect(await rows.count()).toBeGreaterThan(0);
    expect(await rows.count()).toBeLessThanOrEqual(fleet.devices.length);
    expect(loaded).toEqual([`file://${file}`]);
    if (colorScheme === 'light') await expectAccessible(opened, 'report');
    await context.close();
  }
});

test('a CSV file is named after its list, its filter and the local date', async ({ open }) => {
  const page = await open('admin', { timezoneId: 'Pacific/Kiritimati' });
  await page.clock.setFixedTime('2026-11-21T12:00:00Z');
  for (const [address, name] of [
    ['/devices', 'devices-2026-11-22.csv'],
    ['/devices?connectionstatus=Offline', 'devices-offline-2026-11-22.csv'],
    ['/devices?csp=Northlight%20Scents', 'devices-northlight-scents-2026-11-22.csv'],
    ['/users?confirmed=false', 'users-not-confirmed-2026-11-22.csv'],
    ['/csps?name=Air', 'csps-air-2026-11-22.csv'],
  ] as const) {
    await page.goto(address);
    expect((await new ReportDialog(page).save('CSV')).suggestedFilename()).toBe(name);
  }
});

test('the API names its files report.csv, report.xlsx and report.html', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/about');
  for (const list of LISTS) {
    for (const [type, name] of [
      ['csv', 'report.csv'],
      ['xlsx', 'report.xlsx'],
      ['printable', 'report.html'],
    ] as const) {
      const download = page.waitForEvent('download');
      await page.evaluate((address) => window.location.assign(address), `/api/${list}/report?type=${type}`);
      expect((await download).suggestedFilename()).toBe(name);
    }
  }
});

test('a printed report breaks no words, merges columns like the list, and is grouped by customer on request', async ({
  open,
  browser,
  fleet,
}, testInfo) => {
  const page = await open('admin', { viewport: { width: 1600, height: 900 } });
  await page.goto('/devices?page_size=50');
  const report = new ReportDialog(page);
  await report.button.click();
  await report.groupByCustomer.check();
  const saved = page.waitForEvent('download');
  await report.generate.click();
  const file = testInfo.outputPath('report.html');
  await (await saved).saveAs(file);

  const context = await browser.newContext({ viewport: PAPER });
  const paper = await context.newPage();
  await paper.emulateMedia({ media: 'print' });
  await paper.goto(`file://${file}`);
  const words = (text: string) => text.replaceAll(/[\s,]+/g, ' ').trim();
  // What belongs together shares a column, as in the list.
  expect((await paper.locator('thead th').allInnerTexts()).map(words)).toEqual([
    'Serial Number DSN',
    'Customer Customer ID',
    'Service Area Store Number',
    'CSP Installed',
    'Fragrance SKU',
    'System Configuration Cartridge (mL) Network',
    'Street ZIP City State/Province Country',
    'Status Last Connected (UTC)',
    'Remaining (%) Need Runs Dry Empty Since',
  ]);
  expect(await paper.locator('thead').evaluate((head) => getComputedStyle(head).display)).toBe('table-header-group');

  const groups = paper.locator('tbody').filter({ has: paper.locator('th[scope=rowgroup]') });
  const names = await groups.locator('th').allInnerTexts();
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
  for (const [place, name] of names.entries()) {
    const customers = await groups.nth(place).locator('td:nth-child(2) > div:first-child').allInnerTexts();
    expect(new Set(customers)).toEqual(new Set([name === 'No customer' ? '–' : name]));
  }
  await expect(paper.locator('tbody tr:not(.group)')).toHaveCount(fleet.devices.length);

  const broken = () =>
    paper.evaluate(() => {
      const found: string[] = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = texts.currentNode;
        for (const { 0: word, index } of (node.textContent ?? '').matchAll(/[\p{L}\p{N}]+/gu)) {
          const range = document.createRange();
          range.setStart(node, index);
          range.setEnd(node, index + word.length);
          if (range.getClientRects().length > 1) found.push(word);
        }
      }
      return found;
    });
  expect(await broken()).toEqual([]);

  // Only a name without a break opportunity is broken, and nothing exceeds the paper.
  await paper
    .locator('td > div')
    .first()
    .evaluate((cell) => {
      cell.textContent = 'W'.repeat(64);
    });
  expect(await broken()).toEqual(['W'.repeat(64)]);
  const width = await paper.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(PAPER.width);
  await context.close();
});

test('separator and decimal sign of CSV files are chosen once, for every browser', async ({ open }) => {
  const page = await open('observer', { ownSession: true });
  await page.goto('/account?tab=csv');
  await page.getByRole('radiogroup', { name: 'Separator' }).getByText('Semicolon ;').click();
  await expect(page.getByText('Successfully updated CSV files')).toBeVisible();
  await expectAccessible(page, 'signs of CSV files');
  await page.goto('/csps');
  const report = new ReportDialog(page);
  const [header] = await csvRecords(await report.save('CSV'), ';');
  expect(header).toEqual(['Name', 'Devices', 'Users']);
  await page.goto('/account?tab=csv');
  await page.getByRole('radiogroup', { name: 'Separator' }).getByText('Comma ,').click();
  await expect(page.getByText('Successfully updated CSV files')).toBeVisible();
  await page.goto('/csps');
  expect((await csvRecords(await report.save('CSV')))[0]).toEqual(['Name', 'Devices', 'Users']);
});

test('a failed report is announced', async ({ open, frontProxy, guard }) => {
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
  await expect(report.type('Excel')).toBeChecked();
  await page.keyboard.press('ArrowDown');
  await expect(report.type('CSV')).toBeChecked();
  const download = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  expect((await download).suggestedFilename()).toMatch(/^users-.*\.csv$/);
  await expect(report.button).toBeFocused();
});

for (const size of [PHONE, DESK]) {
  test(`the dialog is accessible at ${size.viewport.width} px, light and dark`, async ({ open }) => {
    const page = await open('cspTech', size);
    await page.goto('/devices');
    await expect(new DeviceListScreen(page).heading).toBeVisible();
    const report = new ReportDialog(page);
    await report.button.click();
    await expect(report.generate).toBeInViewport();
    await expectAccessibleInBothSchemes(page, 'report dialog');
  });
}

test('the cartridges to buy are a report with totals, and the list shows what is put where', async ({
  open,
  people,
  fleet: _,
}) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  await page.goto('/devices?csp=Northlight%20Scents&order_by=dsn&order=asc');
  const report = new ReportDialog(page);
  await report.button.click();
  await report.root.getByRole('radio', { name: 'Cartridges to buy' }).check();
  const until = await report.root.getByLabel('Needed until').inputValue();
  await expectAccessibleInBothSchemes(page, 'report of cartridges');
  await report.cancel.click();
  await expect(async () => {
    const query = { csp: 'Northlight Scents', until };
    const { items } = await (await api.get('/api/devices/purchasing', { params: query })).json();
    const [header, ...rows] = await csvRecords(await report.saveCartridges());
    expect(header?.join()).toBe('Row,Customer,City,Fragrance,SKU,Cartridge (mL),Devices,Cartridges');
    expect(rows).toHaveLength(items.length);
    const ofKind = (kind: string) => rows.filter(([first]) => first === kind);
    const sum = (of: string[][], column: number) => of.reduce((sum, row) => sum + Number(row.at(column)), 0);
    const total = ofKind('Total');
    expect(total).toHaveLength(1);
    for (const column of [-1, -2]) {
      expect(sum(ofKind('Item'), column)).toBe(Number(total[0]?.at(column)));
      expect(sum(ofKind('Customer total'), column)).toBe(Number(total[0]?.at(column)));
    }
    const listed = await (
      await api.get('/api/devices/counts', { params: { csp: 'Northlight Scents', runsdrydays: 30 } })
    ).json();
    expect(listed.all).toBeGreaterThan(0);
  }).toPass();

  await page.getByRole('button', { name: 'Supply columns' }).click();
  const list = new DeviceListScreen(page);
  const { devices } = await (
    await api.get('/api/devices', { params: { csp: 'Northlight Scents', orderBy: 'dsn', order: 'asc', pageSize: 5 } })
  ).json();
  for (const { dsn, fragrance, fragranceSku, cartridgeMl, customerId, storeNumber, street, city } of devices) {
    for (const text of [fragrance, fragranceSku, `${cartridgeMl} mL`, customerId, storeNumber, street, city]) {
      if (text) await expect(list.row(dsn)).toContainText(text);
    }
  }
  await expectAccessibleInBothSchemes(page, 'supply columns');
});
