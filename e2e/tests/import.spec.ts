import { readFileSync } from 'node:fs';
import type { APIRequestContext, Locator } from '@playwright/test';
import type {
  CatalogueExport,
  CataloguePreview,
  CatalogueRow,
  FragranceView,
  RowPreview,
} from '../../web/src/api/schema.gen';
import { workbook } from '../../web/src/features/import/file/workbook.fixture';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { columnOf, EVERYBODY } from '../harness/people';
import { permission } from '../harness/permissions';
import { ImportScreen } from '../screens/import';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

// Changes the catalogue.
test.use({ world: 'import' });

const HEADER = 'Fragrance,SKU,Density,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500';
const BYTE_ORDER_MARK = '\uFEFF';
const COLUMNS = [
  ...['Fragrance', 'SKU', 'Density', 'AQ200', 'AQ300', 'AQ500', 'AQ800 1250ml', 'AQ800 2500ml'],
  ...['AQ1200 1250ml', 'AQ1200 2500ml'],
];

const row = (name: string, density = '0.9') => `${name},SKU-1,${density},0.5,0.25,,1,1.1,1.9,2`;

async function catalogue(api: APIRequestContext): Promise<CatalogueExport['items']> {
  return (await (await api.get('/api/import/export')).json()).items;
}

for (const person of EVERYBODY) {
  test(`the page and its menu entry require permission to change the catalogue: ${person}`, async ({ open }) => {
    const page = await open(person);
    const allowed = permission('screen', '/import').verdict(columnOf(person)) === 'allow';
    expect(permission('navigation', 'Export / Import').verdict(columnOf(person)) === 'allow').toBe(allowed);
    await page.goto('/devices');
    await new Shell(page).openAccount();
    const entry = page.getByRole('link', { name: 'Export / Import' });
    await expect(entry).toHaveCount(allowed ? 1 : 0);
    for (const name of ['Account', 'Help', 'About']) {
      await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('href', `/${name.toLowerCase()}`);
    }
    const screen = new ImportScreen(page);
    if (allowed) {
      await entry.click();
      await expect(page).toHaveURL('/import');
      await expect(screen.heading).toBeVisible();
      await expect(screen.download).toBeVisible();
      await expect(screen.zone).toBeVisible();
    } else {
      await page.goto('/import');
      await expect(new Shell(page).refused).toBeVisible();
    }
  });
}

test('the catalogue is exported as fragrances.csv and imported unchanged', async ({ open, people }) => {
  const api = await people.api('admin');
  const before = await catalogue(api);
  const page = await open('admin', DESK);
  await page.goto('/import');
  const screen = new ImportScreen(page);
  await expect(screen.instructions).toHaveCount(4);
  const downloading = page.waitForEvent('download');
  await screen.download.click();
  const download = await downloading;
  expect(download.suggestedFilename()).toBe('fragrances.csv');
  await expect(page.getByText('Successfully downloaded fragrances')).toBeVisible();
  const text = readFileSync(await download.path(), 'utf8');
  // Spreadsheets read the letters of a file without the mark in the encoding of the computer.
  expect(text.startsWith(BYTE_ORDER_MARK)).toBe(true);
  const [header, ...lines] = text.slice(BYTE_ORDER_MARK.length).split('\r\n');
  expect(header).toBe(HEADER);
  const columns = HEADER.split(',');
  const cells = before.map((fragrance) => columns.map((column) => (fragrance as Record<string, string>)[column]));
  expect(lines).toEqual(cells.map((cells) => cells.join(',')));

  await screen.drop(text);
  await expect(screen.results.getByRole('columnheader')).toHaveText(COLUMNS);
  await expect(page.getByText(`Fragrances 1 - ${Math.min(25, before.length)} of ${before.length}`)).toBeVisible();
  await screen.approve.click();
  await expect(page.getByText('Successfully updated fragrances')).toBeVisible();
  await expect(page.getByText(`0 added, 0 changed, ${before.length} unchanged.`)).toBeVisible();
  expect(await catalogue(api)).toEqual(before);
});

test('a file is read and approved and becomes the catalogue', async ({ open, people }) => {
  const api = await people.api('admin');
  const page = await open('admin', DESK);
  await page.goto('/import');
  const screen = new ImportScreen(page);
  await expect(screen.approve).toBeDisabled();
  await expect(screen.reset).toBeDisabled();
  await screen.choose([HEADER, row('Émeraude Nº 5'), '', row('"=1+1, ""quoted"""', '0.75')]);
  const first = screen.results.getByRole('row').nth(1).getByRole('cell');
  await expect(first).toHaveText(['Émeraude Nº 5', 'SKU-1', '0.9', '0.5', '0.25', '', '1', '1.1', '1.9', '2']);
  await expect(screen.approve).toBeEnabled();
  await screen.approve.click();
  await expect(page.getByText('Successfully updated fragrances')).toBeVisible();
  await expect(page.getByText('2 added, 0 changed, 0 unchanged.')).toBeVisible();
  await expect(screen.approve).toBeDisabled();

  const fragrances: FragranceView[] = await (await api.get('/api/fragrances')).json();
  const found = fragrances.find(({ name }) => name === '=1+1, "quoted"');
  expect(found).toMatchObject({ sku: 'SKU-1', density: 0.75, flow: { AQ200w500: 0.5, AQ1200w2500: 2 } });
  expect(found?.flow.AQ500w500).toBeUndefined();

  // The import is in the audit log.
  await page.goto('/audit?operation=update_fragrances');
  await expect(page.getByText('Émeraude Nº 5')).toBeVisible();
});

test('a workbook, and UTF-16 text with semicolons and decimal commas, are read and imported', async ({ open }) => {
  const page = await open('admin', DESK);
  await page.goto('/import');
  const screen = new ImportScreen(page);
  const cells = ['Thé Blanc', '0042', '0.9', '0.5', '', '', '', '', '', ''];
  const first = screen.results.getByRole('row').nth(1).getByRole('cell');
  await screen.chooseBytes(workbook(HEADER.split(','), ['Thé Blanc', '0042', 0.9, 0.5]), 'fragrances.xlsx');
  await expect(first).toHaveText(cells);
  await screen.approve.click();
  await expect(page.getByText('1 added, 0 changed, 0 unchanged.')).toBeVisible();

  const lines = [HEADER, cells.join(',')].map((line) => line.replaceAll(',', ';').replaceAll('.', ','));
  await screen.chooseBytes(Buffer.from(BYTE_ORDER_MARK + lines.join('\r\n'), 'utf16le'), 'fragrances.txt');
  await expect(first).toHaveText(cells);
  await screen.approve.click();
  await expect(page.getByText('0 added, 0 changed, 1 unchanged.')).toBeVisible();
});

test('a faulty file shows its errors by row, type, code and message, and Reset clears them', async ({
  open,
  people,
}) => {
  const before = await catalogue(await people.api('admin'));
  const page = await open('admin', DESK);
  await page.goto('/import');
  const screen = new ImportScreen(page);
  await screen.choose([HEADER, row('Fig'), '', row('Fig'), row('Zest', 'heavy'), 'Short,1']);
  await expect(screen.errors.getByRole('columnheader')).toHaveText(['Row', 'Type', 'Code', 'Message']);
  const line = (number: number) => screen.errors.locator('tbody').getByRole('row').nth(number).getByRole('cell');
  await expect(line(0)).toHaveText(['4', 'Duplicate', 'Duplicate', /^Duplicate Fragrance Found: Fig/]);
  await expect(line(0).last()).toContainText('A4 contains “Fig”.');
  await expect(line(0).last()).toContainText('Row 2 has this name already. Rename or delete one of the two rows.');
  await expect(line(1)).toHaveText(['5', 'Not allowed', 'Wrong value', /^Density must be a number of at least 0/]);
  await expect(line(1).last()).toContainText('C5 contains “heavy”.');
  await expect(line(1).last()).toContainText('Enter digits with a decimal point and no unit, for example 0.9.');
  await expect(line(2).first()).toHaveText('6');
  await expect(line(2).nth(1)).toHaveText('Number of cells');
  await expect(screen.results).toHaveCount(0);
  await expect(screen.approve).toBeDisabled();
  const summary = page.getByRole('alert').filter({ hasText: 'Correct the file, and choose it again.' });
  await expect(summary).toBeFocused();
  await expect(summary).toBeInViewport();
  await expectAccessible(page, 'errors');

  await screen.reset.click();
  await expect(screen.errors).toHaveCount(0);
  await expect(page.getByText('File: fragrances.csv')).toHaveCount(0);
  await expect(screen.reset).toBeDisabled();
  await screen.choose([HEADER.replace('Density,', ''), 'Fig,1,0.5,0.25,,1,1.1,1.9,2']);
  await expect(line(0)).toHaveText(['1', 'Column', 'Missing', /^Missing column: Density/]);

  await screen.choose([HEADER, row('Good')]);
  await expect(screen.results).toBeVisible();
  await expect(screen.errors).toHaveCount(0);
  await screen.reset.click();
  await expect(screen.results).toHaveCount(0);
  expect(await catalogue(await people.api('admin'))).toEqual(before);
});

test('only one file can be dropped', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/import');
  const screen = new ImportScreen(page);
  await expect(screen.zone).toBeVisible();
  for (const files of [[], ['a', 'b']]) {
    await screen.drop(...files);
    await expect(page.getByRole('alert')).toHaveText('Please select ONLY one file');
    await expect(screen.approve).toBeDisabled();
    await screen.drop([HEADER, row('Fig')].join('\n'));
    await expect(screen.results).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  }
  await expect(screen.approve).toBeEnabled();
});

test('a failed import is announced, and the file stays for a retry', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/import/);
  const page = await open('admin', { through: frontProxy });
  await page.goto('/import');
  const screen = new ImportScreen(page);
  const mend = frontProxy.fail({ match: /^(GET|POST) \/api\/import(\/export)?($|\?)/, status: 500 });
  await screen.download.click();
  await expect(page.getByText('Failed to get fragrances')).toBeVisible();
  await screen.choose([HEADER, row('Second try')]);
  await screen.approve.click();
  await expect(page.getByText('Failed to update fragrances')).toBeVisible();
  await expect(screen.results).toBeVisible();
  mend();
  await screen.approve.click();
  await expect(page.getByText('Successfully updated fragrances')).toBeVisible();
});

test('no fragrance can be chosen if none could be read', async ({ open, frontProxy, guard }) => {
  guard.expect(500, /^\/api\/fragrances$/);
  frontProxy.fail({ match: /^GET \/api\/fragrances/, status: 500 });
  const page = await open('admin', { through: frontProxy });
  await page.goto('/devices/add');
  await expect(page.getByText('Failed to get fragrances')).toBeVisible();
});

test('the keyboard is enough to choose and approve', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/import');
  const screen = new ImportScreen(page);
  await expect(screen.zone).toBeVisible();
  // `tabTo` queries the page, so the page then also knows that a file chooser is expected. A key press alone may be too early.
  const choosing = page.waitForEvent('filechooser');
  await tabTo(page, screen.input);
  await page.keyboard.press('Enter');
  await (await choosing).setFiles({
    name: 'fragrances.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(`${HEADER}\n${row('By keyboard')}`),
  });
  await expect(screen.results).toBeVisible();
  await tabTo(page, screen.approve);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Successfully updated fragrances')).toBeVisible();
});

for (const size of [PHONE, DESK]) {
  test(`a file is imported at ${size.viewport.width} px, light and dark`, async ({ open, people }) => {
    const page = await open('admin', size);
    await page.goto('/import');
    const screen = new ImportScreen(page);
    await expect(screen.approve).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'nothing chosen');
    const name = `Seen at ${size.viewport.width}`;
    await screen.choose([HEADER, row(name), ...Array.from({ length: 30 }, (_, number) => row(`F${number}`))]);
    await expect(screen.results).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'results');
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.body.clientWidth);
    expect(wide, 'only the table scrolls sideways').toBe(false);
    await screen.approve.click();
    await expect(page.getByText('Successfully updated fragrances')).toBeVisible();
    const names = (await catalogue(await people.api('admin'))).map(({ Fragrance }) => Fragrance);
    expect(names).toContain(name);
  });
}

/** The row with flow rates as a spreadsheet without decimal points saves them. */
function eaten(row: CatalogueRow): CatalogueRow {
  const numbers = HEADER.split(',').slice(3) as (keyof CatalogueRow)[];
  const changed = numbers.filter((column) => row[column]);
  return {
    ...row,
    ...Object.fromEntries(changed.map((column) => [column, `${Math.round(Number(row[column]) * 1000)}`])),
  };
}

/** The fragrance that most devices have whose level is known. */
async function fragranceInUse(api: APIRequestContext): Promise<RowPreview> {
  const rows = (await catalogue(api)).map(eaten);
  let found: RowPreview | undefined;
  await expect(async () => {
    const preview: CataloguePreview = await (await api.post('/api/import/preview', { data: rows })).json();
    found = preview.rows[0];
    expect(found?.emptied).toBeGreaterThan(0);
  }).toPass();
  return found as RowPreview;
}

for (const { size, press } of [
  { size: PHONE, press: (button: Locator) => button.tap() },
  { size: DESK, press: (button: Locator) => button.click() },
]) {
  test(`an implausible file asks with the devices it touches, and its import is undone at ${size.viewport.width} px`, async ({
    open,
    people,
  }) => {
    const api = await people.api('admin');
    const before = await catalogue(api);
    const used = await fragranceInUse(api);
    const [present, wrong] = [used.before, used.after] as [CatalogueRow, CatalogueRow];
    const touched = used.devices === 1 ? '1 device' : `${used.devices} devices`;
    const page = await open('admin', size);
    await page.goto('/import');
    const screen = new ImportScreen(page);
    const cells = HEADER.split(',').map((column) => wrong[column as keyof CatalogueRow]);
    await screen.choose([HEADER, row(`New at ${size.viewport.width}`), cells.join(',')]);
    const cell = screen.changes.locator('tbody').getByRole('row').first().getByRole('cell');
    await expect(cell.first()).toHaveText('3');
    await expect(cell.nth(1)).toHaveText(wrong.Fragrance ?? '');
    await expect(cell.nth(2)).toHaveText(`${touched}; ${used.emptied} would read empty`);
    await expect(cell.last()).toContainText(
      `AQ500 ${present.AQ500w500} → becomes ${wrong.AQ500w500} ×1,000 (plausible: 0.0636 to 10.49; probably 1,000 times too large)`,
    );
    await expectAccessibleInBothSchemes(page, 'changes');
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > document.body.clientWidth);
    expect(await isWide(), 'only tables scroll sideways').toBe(false);

    await press(screen.approve);
    await expect(screen.question).toContainText('values are not plausible:');
    await expect(screen.question).toContainText('would read empty.');
    await expect(screen.question.getByRole('list')).toContainText(
      `F3 (AQ500): ${wrong.AQ500w500} (plausible: 0.0636 to 10.49; probably 1,000 times too large)`,
    );
    await expectAccessibleInBothSchemes(page, 'question');
    await press(screen.question.getByRole('button', { name: 'Cancel' }));
    await expect(screen.question).toBeHidden();
    expect(await catalogue(api)).toEqual(before);

    await press(screen.approve);
    await press(screen.question.getByRole('button', { name: 'Import anyway' }));
    await expect(page.getByText('1 added, 1 changed, 0 unchanged.')).toContainText(touched);
    expect(await catalogue(api)).not.toEqual(before);

    // Another page, after the import.
    await page.reload();
    await press(screen.last.getByRole('button', { name: 'Preview undo' }));
    const undone = screen.last.getByRole('table', { name: 'What would change' });
    await expect(undone).toContainText(`AQ500 ${wrong.AQ500w500} → becomes ${present.AQ500w500} ÷1,000`);
    await expectAccessibleInBothSchemes(page, 'undo');
    expect(await isWide(), 'only tables scroll sideways').toBe(false);
    await press(screen.last.getByRole('button', { name: 'Undo import' }));
    await expect(page.getByText('Successfully undid the import')).toBeVisible();
    await expect(screen.last).toHaveCount(0);
    expect(await catalogue(api)).toEqual(before);
    await page.goto('/audit?operation=undo_import');
    await expect(page.getByText('Undid an import of fragrances').first()).toBeVisible();
  });
}
