import { fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { workbook } from './workbook.fixture';

const HEADER = 'Fragrance,SKU,Density,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500';
const FIG = 'Fig,F-1,0.9,0.5,0.25,,1,1.1,1.9,2';

const csv = (lines: string[], name = 'fragrances.csv') => new File([lines.join('\n')], name, { type: 'text/csv' });

function open(handlers: Parameters<typeof fakeApi>[0] = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/import/export': () => ok({ items: [] }),
    'GET /api/fragrances': () => ok([]),
    'POST /api/import': () => ok({ added: 1, changed: 0, unchanged: 0, devices: 0 }),
    ...handlers,
  });
  renderApp('/import');
  return api;
}

const choose = async (...files: File[]) =>
  userEvent.upload(await screen.findByLabelText(/Drop a CSV or XLSX file here/), files, { applyAccept: false });
const approve = () => screen.getByRole('button', { name: 'Approve' });

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
  await userEvent.click(approve());
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  expect(screen.getByText('1 added, 0 changed, 0 unchanged.')).toBeVisible();
  const post = api.calls.find(({ method }) => method === 'POST');
  expect(post?.url.searchParams.get('file')).toBe('fragrances.csv');
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
  await userEvent.click(approve());
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  const post = api.calls.find(({ method }) => method === 'POST');
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
  await userEvent.click(approve());
  expect(await screen.findByText('Successfully updated fragrances')).toBeVisible();
  const post = api.calls.find(({ method }) => method === 'POST');
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
  expect(approve()).toBeEnabled();
});

test('a failed import is announced; server errors name the row of the file', async () => {
  let answer = () => problem(422, 'invalid', { errors: { '[1].Density': ['Must be a number of at least 0'] } });
  open({ 'POST /api/import': () => answer() });
  await choose(csv([HEADER, FIG, '', FIG.replace('Fig', 'Amber')]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await userEvent.click(approve());
  expect(await screen.findByText('Failed to update fragrances')).toBeVisible();
  const cells = within(await screen.findByRole('table', { name: 'Errors' })).getAllByRole('cell');
  expect(cells[0]).toHaveTextContent('4');
  expect(within(cells[3] as HTMLElement).getByText('Density: Must be a number of at least 0')).toBeVisible();
  expect(within(cells[3] as HTMLElement).getByText('C4 contains “0.9”.')).toBeVisible();
  expect(approve()).toBeDisabled();

  answer = () => problem(500, 'internal');
  await choose(csv([HEADER, FIG]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await userEvent.click(approve());
  await waitFor(() => expect(approve()).toBeEnabled());
  expect(screen.getByRole('table', { name: 'Fragrances' })).toBeVisible();
});

test('an import says how many devices change with it', async () => {
  open({ 'POST /api/import': () => ok({ added: 0, changed: 1, unchanged: 23, devices: 118 }) });
  await choose(csv([HEADER, FIG]));
  await screen.findByRole('table', { name: 'Fragrances' });
  await userEvent.click(approve());
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
  await userEvent.click(approve());
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
