import type { FleetHistory } from '../../web/src/api/schema.gen';
import { expectAccessibleInBothSchemes } from '../harness/axe';
import { csvRecords } from '../harness/csv';
import { expect, test } from '../harness/fixtures';
import { FleetScreen } from '../screens/fleet';
import { ReportDialog } from '../screens/report-dialog';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

for (const [name, size] of [
  ['phone', PHONE],
  ['desk', DESK],
] as const) {
  test(`the fleet is shown over time from its history, on a ${name}`, async ({ open, people, fleet: _ }, info) => {
    const api = await people.api('admin');
    const read = async (): Promise<FleetHistory> => (await api.get('/api/fleet/history')).json();
    await expect.poll(async () => (await read()).histories).toBeNull();
    // The day before yesterday was complete before the demo began.
    const past = (await read()).days.at(-3);
    expect(past?.usedMl).toBeGreaterThan(0);
    expect(past?.online.every((online) => online !== null)).toBe(true);
    await expect.poll(async () => (await read()).recordedSince).not.toBeNull();

    const page = await open('admin', size);
    await page.goto('/devices');
    if (size === DESK) await new Shell(page).navigation.getByRole('link', { name: 'Fleet' }).click();
    else await page.goto('/fleet');
    const screen = new FleetScreen(page);
    await expect(screen.heading).toBeVisible();
    await expect(page.getByRole('img', { name: /^Chart of/ })).toHaveCount(5);
    await expectAccessibleInBothSchemes(page, 'fleet');
    const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    expect(await fits()).toBe(true);

    await screen.period('7 days').click();
    await expect(page).toHaveURL('/fleet?days=7');
    const levels = screen.block('Devices by level');
    await levels.getByRole('button', { name: 'Show as table' }).click();
    await expect(levels.locator('tbody').getByRole('row')).toHaveCount(7);
    await expectAccessibleInBothSchemes(page, 'fleet as table');

    const sums = screen.block('Sums');
    await expect(sums.getByText(/ mL$/)).toBeVisible();
    await screen.month.click();
    await page.getByRole('option').first().click();
    await expect(page).toHaveURL(/^[^?]*\/fleet\?month=\d{4}-\d\d$/);
    expect(await fits()).toBe(true);
    // A phone saves the same files.
    if (size === PHONE) return;
    const reports = new ReportDialog(page);
    const [csv, printed] = [await reports.saveStores('CSV'), await reports.saveStores('Printable')];
    expect(printed.suggestedFilename()).toMatch(/^use-\d{4}-\d\d\.html$/);
    const records = await csvRecords(csv);
    const file = info.outputPath('use.html');
    await printed.saveAs(file);
    await page.goto(`file://${file}`);
    await expect(page).toHaveTitle(/^Sillage - Use of fragrance, \w+ \d{4} /);
    await expect(page.getByRole('img', { name: 'Use in mL a day' })).toBeVisible();
    const cells = await page.getByRole('row').last().getByRole('cell').allInnerTexts();
    // The total of the printed page is that of the file, to the last digit, and that of its items.
    const total = records.at(-1)?.at(-1);
    expect(cells.at(-1)).toBe(total);
    const tenths = (ml: string | undefined) => Math.round(Number(ml) * 10);
    const items = records.filter(([kind]) => kind === 'Item');
    expect(items.reduce((sum, item) => sum + tenths(item.at(-1)), 0)).toBe(tenths(total));
  });
}

test('people of a CSP see their devices only, and by customer', async ({ open, people, fleet: _ }) => {
  const [all, own] = [await people.api('admin'), await people.api('cspAdmin')];
  const devices = async (api: typeof all) => {
    const { days }: FleetHistory = await (await api.get('/api/fleet/history')).json();
    return days.at(-1)?.devices ?? 0;
  };
  await expect.poll(() => devices(own)).toBeGreaterThan(0);
  expect(await devices(own)).toBeLessThan(await devices(all));
  await expect.poll(async () => (await (await own.get('/api/fleet/history')).json()).histories).toBeNull();
  const { customers }: FleetHistory = await (await own.get('/api/fleet/history')).json();
  const customer = customers?.groups.find(({ name }) => name !== null)?.name ?? '';
  const page = await open('cspAdmin', DESK);
  await page.goto('/fleet');
  await new FleetScreen(page).filter.click();
  const dialog = page.getByRole('dialog', { name: 'Filter the fleet' });
  await expect(dialog.getByLabel('CSP')).toHaveCount(0);
  await dialog.getByRole('combobox', { name: 'Customer' }).fill(customer.slice(0, -1).toUpperCase());
  await page.getByRole('option', { name: customer, exact: true }).click();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(new FleetScreen(page).block('Use in mL a day')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Use in mL a day by fragrance' })).toHaveCount(0);
});
