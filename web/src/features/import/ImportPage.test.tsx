import { fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { CataloguePreview, ValueDoubt } from '@/api/schema.gen';
import { workbook } from './file/workbook.fixture';

const HEADER = 'Fragrance,SKU,Density,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500';
const FIG = 'Fig,F-1,0.9,0.5,0.25,,1,1.1,1.9,2';

const unchanged = {
  ...{ added: 0, changed: 0, unchanged: 1, devices: 0, movedFar: 0, emptied: 0, implausible: 0 },
  ...{ rows: [], furtherRows: 0, digest: 'd1' },
} satisfies CataloguePreview;

const cells = (text: string) =>
  Object.fromEntries(HEADER.split(',').map((column, place) => [column, text.split(',')[place] ?? '']));

const doubt = (column: ValueDoubt['column'], from: number, to: number) => ({
  ...{ column, from, to, isImplausible: true, factor: 1000 },
});

/** A spreadsheet has lost the decimal point of one density, and a new fragrance is another row. */
const eaten = {
  ...unchanged,
  ...{ added: 1, changed: 1, unchanged: 0, devices: 412, movedFar: 405, emptied: 398, implausible: 1 },
  rows: [
    {
      ...{ row: 1, devices: 412, movedFar: 405, emptied: 398 },
      before: cells(FIG.replace('Fig', 'Harbour Linen')),
      after: cells(FIG.replace('Fig', 'Harbour Linen').replace('0.9', '918')),
      doubts: [doubt('Density', 0.5, 1.5)],
    },
    { row: 0, devices: 0, movedFar: 0, emptied: 0, before: null, after: cells(FIG), doubts: [] },
  ],
} satisfies CataloguePreview;

const csv = (lines: string[], name = 'fragrances.csv') => new File([lines.join('\n')], name, { type: 'text/csv' });

function open(handlers: Parameters<typeof fakeApi>[0] = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/import/export': () => ok({ items: [] }),
    'GET /api/fragrances': () => ok([]),
    'GET /api/import/last': () => ok({ import: null }),
    'POST /api/import/preview': () => ok(unchanged),
    'POST /api/import': () => ok({ added: 1, changed: 0, unchanged: 0, devices: 0 }),
    ...handlers,
  });
  renderApp('/import');
  return api;
}

const choose = async (...files: File[]) =>
  userEvent.upload(await screen.findByLabelText(/Drop a CSV or XLSX file here/), files, { applyAccept: false });
const approve = () => screen.getByRole('button', { name: 'Approve' });
const clickApprove = async () => {
  await waitFor(() => expect(approve()).toBeEnabled());
  await userEvent.click(approve());
};
const imports = ({ calls }: ReturnType<typeof open>) =>
  calls.filter(({ method, url }) => method === 'POST' && url.pathname === '/api/import');

test('a file is read, shown, approved and sent as rows', async () => {
  const api = open();
  await screen.findByRole('heading', { name: 'Export / Import' });
  expect(approve()).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Reset' })).toBeDisabled();
  await choose(csv([HEADER, FIG]));
  const table = within(await screen.findByRole('table', { name: 'Fragrances' }));
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Fragrance',
    'SKU',
    'Density',
    'AQ200',
    'AQ300',
    'AQ500',
    'AQ800 1250ml',
    'AQ800 2500ml',
    'AQ1200 1250ml',
    'AQ1200 2500ml',
  ]);
  expect(table.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(FIG.split(','));
  expect(screen.getByText('File: fragrances.csv')).toBeVisible();
  await clickApprove();
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  expect(screen.getByText('1 added, 0 changed, 0 unchanged.')).toBeVisible();
  const [post] = imports(api);
  expect(Object.fromEntries(post?.url.searchParams ?? [])).toEqual({ file: 'fragrances.csv', decidedOn: 'd1' });
  expect(post?.body).toEqual([
    Object.fromEntries(HEADER.split(',').map((column, place) => [column, FIG.split(',')[place]])),
  ]);
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  expect(approve()).toBeDisabled();
});

test('an invalid file shows its errors and cannot be approved', async () => {
  open();
  await choose(csv([HEADER, FIG, FIG]));
  const table = within(await screen.findByRole('table', { name: 'Errors' }));
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Row',
    'Type',
    'Code',
    'Message',
  ]);
  const [row, type, code, message] = table.getAllByRole('cell');
  expect([row, type, code].map((cell) => cell?.textContent)).toEqual(['3', 'Duplicate', 'Duplicate']);
  expect([...(message?.children ?? [])].map(({ textContent }) => textContent)).toEqual([
    'Duplicate Fragrance Found: Fig',
    'A3 contains “Fig”.',
    'Row 2 has this name already. Rename or delete one of the two rows.',
  ]);
  expect(screen.getByRole('alert')).toHaveTextContent('1 error. Correct the file, and choose it again.');
  expect(screen.getByRole('alert')).toHaveFocus();
  expect(approve()).toBeDisabled();
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(screen.queryByRole('table')).not.toBeInTheDocument();
  expect(screen.queryByText(/^File:/)).not.toBeInTheDocument();
});

test('types and codes of errors are words', async () => {
  open();
  const types = new Set<string | null>();
  const seen = async (...lines: string[]) => {
    await choose(csv(lines));
    const table = within(await screen.findByRole('table', { name: 'Errors' }));
    const cells = table.getAllByRole('row').map((row) => within(row).queryAllByRole('cell'));
    for (const [, type, code] of cells) for (const cell of [type, code]) if (cell) types.add(cell.textContent);
    await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
  };
  await seen(
    HEADER,
    FIG.replace('Fig', ''),
    'Short,1',
    `${FIG.replace('Fig', 'Long')},1`,
    FIG.replace('Fig', '"Fig" x'),
    '"Open',
  );
  await seen(HEADER.replace('SKU', 'Notes'), FIG);
  await seen(HEADER);
  await seen('Fragrance', 'Fig');
  expect([...types].filter((text) => !text || /[a-z][A-Z]/.test(text))).toEqual([]);
  expect([...types]).toEqual(
    expect.arrayContaining([
      'Not allowed',
      'Wrong value',
      'Number of cells',
      'Too few cells',
      'Quotes',
      'Unknown column',
    ]),
  );
});

test('anything but one table is refused', async () => {
  open();
  const zone = (await screen.findByLabelText(/Drop a CSV or XLSX file here/)).closest('label') as HTMLElement;
  for (const [files, text] of [
    [[csv([HEADER, FIG]), csv([HEADER, FIG])], 'Please select ONLY one file'],
    [[], 'Please select ONLY one file'],
    [[new File(['x'], 'photo.png', { type: 'image/png' })], 'Please select a CSV or XLSX file'],
  ] as const) {
    fireEvent.drop(zone, { dataTransfer: { files } });
    expect(await screen.findByRole('alert')).toHaveTextContent(text);
    expect(approve()).toBeDisabled();
  }
  fireEvent.drop(zone, { dataTransfer: { files: [new File([`${HEADER}\n${FIG}`], 'DATA.CSV')] } });
  expect(await screen.findByRole('table', { name: 'Fragrances' })).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('a file that is not UTF-8 is read as Windows-1252 after confirmation', async () => {
  const api = open();
  const text = [HEADER, FIG.replace('Fig', 'Thé Vert'), FIG.replace('Fig', 'Amber')].join('\r\n');
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  await choose(new File([bytes], 'list.csv'));
  expect(await screen.findByRole('alert')).toHaveTextContent('This file is not UTF-8. Read it as Windows-1252?');
  expect(screen.getByRole('alert')).toHaveFocus();
  expect(screen.getByText('File: list.csv')).toBeVisible();
  const samples = within(screen.getByRole('list', { name: 'Texts of the file' }));
  expect(samples.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(['Thé Vert']);
  expect(approve()).toBeDisabled();
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();

  await choose(new File([bytes], 'list.csv'));
  await userEvent.click(await screen.findByRole('button', { name: 'Read as Windows-1252' }));
  expect(await screen.findByRole('cell', { name: 'Thé Vert' })).toBeVisible();
  expect(screen.getByText('File: list.csv').parentElement).toHaveFocus();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  await clickApprove();
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  const [post] = imports(api);
  expect(post?.body).toMatchObject([{ Fragrance: 'Thé Vert' }, { Fragrance: 'Amber' }]);
});

test('a workbook is imported; changed SKUs are shown with the present ones and do not block', async () => {
  const fig = { name: 'Fig', sku: '000731', density: 0.9, flow: {} };
  const api = open({ 'GET /api/fragrances': () => ok([fig]) });
  const bytes = workbook(HEADER.split(','), ['FIG', 731, 0.9, 0.5], ['Œillet', 'O-1', 0.1 + 0.2]);
  // The content decides, because a name can be wrong.
  await choose(new File([bytes], 'list.csv'));
  const warnings = within(await screen.findByRole('table', { name: 'Changed SKUs' }));
  expect(warnings.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    '2',
    'FIG',
    '000731',
    '731',
    'The SKU was read as a number. Format the column as text, and enter the SKU again.',
  ]);
  expect(screen.getByRole('note')).toHaveTextContent(
    '1 SKU was probably changed by a spreadsheet. Check it before you approve the file.',
  );
  expect(screen.getByText('File: list.csv').closest('[role=status]')).toHaveTextContent(
    'File: list.csv, 1 SKU to check',
  );
  await clickApprove();
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  const [post] = imports(api);
  expect(post?.body).toMatchObject([
    { Fragrance: 'FIG', SKU: '731', Density: '0.9', AQ200w500: '0.5', AQ300w500: '' },
    { Fragrance: 'Œillet', SKU: 'O-1', Density: '0.3' },
  ]);
});

test('a file is read even if the present catalogue cannot be read', async () => {
  open({ 'GET /api/fragrances': () => problem(500, 'internal') });
  await choose(csv([HEADER, FIG.replace('F-1', '4.5E+11')]));
  const warnings = within(await screen.findByRole('table', { name: 'Changed SKUs' }));
  expect(warnings.getAllByRole('cell')[2]).toHaveTextContent('–');
  await waitFor(() => expect(approve()).toBeEnabled());
});

test('a failed import is announced; server errors name the row of the file', async () => {
  let answer = () => problem(422, 'invalid', { errors: { '[1].Density': ['Must be a number of at least 0'] } });
  open({ 'POST /api/import': () => answer() });
  await choose(csv([HEADER, FIG, '', FIG.replace('Fig', 'Amber')]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await clickApprove();
  expect(await screen.findByText('Failed to update fragrances')).toBeVisible();
  const cells = within(await screen.findByRole('table', { name: 'Errors' })).getAllByRole('cell');
  expect(cells[0]).toHaveTextContent('4');
  expect(within(cells[3] as HTMLElement).getByText('Density: Must be a number of at least 0')).toBeVisible();
  expect(within(cells[3] as HTMLElement).getByText('C4 contains “0.9”.')).toBeVisible();
  expect(approve()).toBeDisabled();

  answer = () => problem(500, 'internal');
  await choose(csv([HEADER, FIG]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await clickApprove();
  await waitFor(() => expect(approve()).toBeEnabled());
  expect(screen.getByRole('table', { name: 'Fragrances' })).toBeVisible();
});

test('an import says how many devices change with it', async () => {
  open({ 'POST /api/import': () => ok({ added: 0, changed: 1, unchanged: 23, devices: 118 }) });
  await choose(csv([HEADER, FIG]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await clickApprove();
  expect(
    await screen.findByText(
      '0 added, 1 changed, 23 unchanged. Level or consumption change with it: those of 118 devices. Each device lists it under Changes.',
    ),
  ).toBeVisible();
});

test('no other file is accepted during an import', async () => {
  const updated = Promise.withResolvers<Response>();
  open({ 'POST /api/import': () => updated.promise });
  await choose(csv([HEADER, FIG]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await clickApprove();
  const zone = screen.getByLabelText(/Drop a CSV or XLSX file here/);
  expect(zone).toBeDisabled();
  fireEvent.drop(zone, { dataTransfer: { files: [csv([HEADER, FIG], 'other.csv')] } });
  expect(screen.getByText('File: fragrances.csv')).toBeVisible();
  updated.resolve(ok({ added: 1, changed: 0, unchanged: 0, devices: 0 }));
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  await waitFor(() => expect(zone).toBeEnabled());
});

test('a row with the same error twice shows both', async () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  open();
  await choose(csv([HEADER, FIG, '"a"b,"c"d,1,,,,,,,']));
  const table = within(await screen.findByRole('table', { name: 'Errors' }));
  expect(table.getAllByText('Trailing quote on quoted field is malformed').length).toBeGreaterThan(1);
  expect(complaints.mock.calls.flat().filter((text) => /same key/.test(String(text)))).toEqual([]);
});

test('a failed download is announced', async () => {
  open({ 'GET /api/import/export': () => problem(500, 'internal') });
  await userEvent.click(await screen.findByRole('button', { name: 'Download' }));
  expect(await screen.findByText('Failed to get fragrances')).toBeVisible();
});

test('a download is a file with the rows of the server', async () => {
  const saved: { blob: Blob; name: string }[] = [];
  let last: Blob | undefined;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    last = blob as Blob;
    return 'blob:1';
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    if (last) saved.push({ blob: last, name: this.download });
  });
  const items = [{ Fragrance: '=Fig, ripe', SKU: '', Density: '0.9', AQ200w500: '0.5' }];
  open({ 'GET /api/import/export': () => ok({ items }) });
  await userEvent.click(await screen.findByRole('button', { name: 'Download' }));
  expect(await screen.findByText('Successfully downloaded fragrances')).toBeVisible();
  expect(saved.map(({ name }) => name)).toEqual(['fragrances.csv']);
  const bytes = await saved[0]?.blob.arrayBuffer();
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  expect(text).toBe(`\uFEFF${HEADER}\r\n"=Fig, ripe",,0.9,0.5,,,,,,`);
});

const EATEN = [HEADER, FIG, FIG.replace('Fig', 'Harbour Linen').replace('0.9', '918')];

test('the preview has the values before and after, factors, and the devices of each row', async () => {
  const api = open({ 'POST /api/import/preview': () => ok(eaten) });
  await choose(csv(EATEN));
  const table = within(await screen.findByRole('table', { name: 'What would change' }));
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Row',
    'Fragrance',
    'Devices',
    'Changes',
  ]);
  expect(table.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    ...['3', 'Harbour Linen', '412 devices; 398 would read empty'],
    'Density 0.9 → becomes 918 ×1,000 (plausible: 0.5 to 1.5; probably 1,000 times too large)',
    ...['2', 'Fig', '–', 'New'],
  ]);
  expect(screen.getByText('The file adds 1, changes 1 and leaves 0 unchanged.')).toBeVisible();
  expect(screen.getByText('Level or consumption change: 412 devices; 398 would read empty.')).toBeVisible();
  expect(api.calls.find(({ url }) => url.pathname === '/api/import/preview')?.body).toEqual(EATEN.slice(1).map(cells));
});

test('implausible values and levels that move far are imported only after one more question', async () => {
  const api = open({ 'POST /api/import/preview': () => ok(eaten) });
  await choose(csv(EATEN));
  await clickApprove();
  const question = within(await screen.findByRole('dialog', { name: 'Import this file?' }));
  expect(question.getByText('1 value is not plausible:')).toBeVisible();
  expect(question.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'C3 (Density): 918 (plausible: 0.5 to 1.5; probably 1,000 times too large)',
  ]);
  expect(question.getByText('The levels of 405 devices change by more than 5 percentage points.')).toBeVisible();
  expect(question.getByText('398 devices would read empty.')).toBeVisible();
  await userEvent.click(question.getByRole('button', { name: 'Cancel' }));
  expect(imports(api)).toEqual([]);
  await clickApprove();
  await userEvent.click(await screen.findByRole('button', { name: 'Import anyway' }));
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  expect(imports(api).map(({ url }) => url.searchParams.get('decidedOn'))).toEqual(['d1']);
});

test('a change of levels alone asks, too; smaller changes do not', async () => {
  let moved = { ...unchanged, devices: 2, movedFar: 1 };
  const api = open({ 'POST /api/import/preview': () => ok(moved) });
  await choose(csv([HEADER, FIG]));
  await clickApprove();
  expect(await screen.findByText('The level of 1 device changes by more than 5 percentage points.')).toBeVisible();
  expect(screen.queryByText(/not plausible/)).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
  moved = { ...unchanged, devices: 2 };
  await choose(csv([HEADER, FIG]));
  await clickApprove();
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  expect(imports(api)).toHaveLength(1);
});

test('a catalogue that has changed since the preview is compared again before the next approval', async () => {
  let digest = 'd1';
  const api = open({
    'POST /api/import/preview': () => ok({ ...unchanged, digest }),
    'POST /api/import': ({ url }) =>
      url.searchParams.get('decidedOn') === 'd2'
        ? ok({ added: 0, changed: 1, unchanged: 0, devices: 0 })
        : problem(409, 'conflict', { detail: 'The catalogue has changed since the preview.' }),
  });
  await choose(csv([HEADER, FIG]));
  await waitFor(() => expect(approve()).toBeEnabled());
  digest = 'd2';
  await clickApprove();
  expect(await screen.findByText('Failed to update fragrances')).toBeVisible();
  await waitFor(() => expect(api.count('POST /api/import/preview')).toBe(2));
  await clickApprove();
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
});

test('a file cannot be approved without its preview, which can be tried again', async () => {
  let answer = () => problem(500, 'internal');
  open({ 'POST /api/import/preview': () => answer() });
  await choose(csv([HEADER, FIG]));
  expect(await screen.findByText('Failed to compare the file with the catalogue')).toBeVisible();
  expect(approve()).toBeDisabled();
  answer = () => ok(unchanged);
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(approve()).toBeEnabled());
});

const LAST = { importedAt: '2026-11-20T11:00:00Z', undoUntil: '2026-11-27T11:00:00Z', file: 'tea.csv' };
const removal = { row: 2, devices: 0, movedFar: 0, emptied: 0, before: cells(FIG), after: null, doubts: [] };

test('the last import is undone after its preview', async () => {
  let last: object | null = LAST;
  const api = open({
    'GET /api/import/last': () => ok({ import: last }),
    'POST /api/import/last/preview': () => ok({ ...eaten, rows: [...eaten.rows.slice(0, 1), removal], digest: 'd2' }),
    'POST /api/import/last/undo': () => {
      last = null;
      return ok({ added: 0, changed: 2, unchanged: 0, devices: 412 });
    },
  });
  const card = within(await screen.findByRole('region', { name: 'Last import' }));
  expect(card.getByText(/^tea\.csv, imported .*2026/)).toBeVisible();
  expect(card.getByText(/^It can be undone until .*2026/)).toBeVisible();
  const undo = card.getByRole('button', { name: 'Undo import' });
  expect(undo).toBeDisabled();
  await userEvent.click(card.getByRole('button', { name: 'Preview undo' }));
  const table = within(await card.findByRole('table', { name: 'What would change' }));
  expect(table.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    'FragranceDevicesChanges',
    expect.stringContaining('Harbour Linen412 devices; 398 would read emptyDensity 0.9 → becomes 918'),
    'Fig–Removed',
  ]);
  await userEvent.click(undo);
  expect(await screen.findByText('Successfully undid the import')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Last import' })).not.toBeInTheDocument());
  expect(api.calls.find(({ url }) => url.pathname.endsWith('/undo'))?.body).toEqual({ decidedOn: 'd2' });
});

test('an import that cannot be undone any more says why', async () => {
  const detail = 'Fig was changed after the import. Undo would overwrite that.';
  open({
    'GET /api/import/last': () => ok({ import: { ...LAST, file: null } }),
    'POST /api/import/last/preview': () => problem(409, 'conflict', { detail }),
  });
  const card = within(await screen.findByRole('region', { name: 'Last import' }));
  expect(card.getByText(/^Imported .*2026/)).toBeVisible();
  await userEvent.click(card.getByRole('button', { name: 'Preview undo' }));
  expect(await card.findByText('The import cannot be undone')).toBeVisible();
  expect(card.getByText(detail)).toBeVisible();
  expect(card.getByRole('button', { name: 'Undo import' })).toBeDisabled();
});
