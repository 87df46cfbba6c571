import { expect, test } from 'vitest';
import { CATALOGUE_COLUMNS, type Cells } from '@/lib/catalogue';
import { readCatalogue, writeCatalogue } from './catalogue-csv';

const HEADER = 'Fragrance,SKU,Density,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500';
const FIG = 'Fig,F-1,0.9,0.5,0.25,,1,1.1,1.9,2';

const read = (...lines: string[]) => readCatalogue(new Blob([lines.join('\r\n')]));
const errorsOf = async (...lines: string[]) => (await read(...lines)).errors;

test('exported and imported files have the columns of the catalogue', async () => {
  const { rows, errors } = await read(HEADER, FIG);
  expect(errors).toEqual([]);
  expect(Object.keys(rows[0]?.cells ?? {})).toEqual([...CATALOGUE_COLUMNS]);
  expect(writeCatalogue(rows.map(({ cells }) => cells))).toBe(`${HEADER}\r\n${FIG}`);
});

test('a written catalogue is read back unchanged, with any names', async () => {
  const cells = (name: string) => ({
    ...Object.fromEntries(CATALOGUE_COLUMNS.map((c) => [c, ''])),
    Fragrance: name,
    Density: '0',
  });
  const names = ['=1+1', '+47', '@SUM(A1)', 'a, b', 'a; b', 'say "hi"', "'quoted'", 'Émeraude', '<b>Fig</b>', '007'];
  const before = names.map((name) => cells(name) as Cells);
  const { rows, errors } = await readCatalogue(new Blob([writeCatalogue(before)]));
  expect(errors).toEqual([]);
  expect(rows.map(({ cells }) => cells)).toEqual(before);
});

test('the header is read, and empty lines are skipped but counted', async () => {
  const { rows, errors } = await read('', HEADER, '', FIG, ',,,,,,,,,', '   ', FIG.replace('Fig', 'Amber'), '', '');
  expect(errors).toEqual([]);
  expect(rows.map(({ row, cells }) => [row, cells.Fragrance])).toEqual([
    [4, 'Fig'],
    [7, 'Amber'],
  ]);
});

test('cells are trimmed; byte order mark, semicolons, tabs and bare line feeds are accepted', async () => {
  const file = `${HEADER} \n${FIG.replace('Fig', ' Fig ')}\n`;
  for (const text of [
    `\uFEFF${file}`,
    file.replaceAll(',', ';'),
    file.replaceAll(',', '\t'),
    file.replaceAll('\n', '\r\n'),
  ]) {
    const { rows, errors } = await readCatalogue(new Blob([text]));
    expect(errors).toEqual([]);
    expect(rows.map(({ cells }) => [cells.Fragrance, cells.AQ1200w2500])).toEqual([['Fig', '2']]);
  }
});

test('a repeated name is a duplicate', async () => {
  const amber = FIG.replace('Fig', 'Amber');
  expect(await errorsOf(HEADER, FIG, amber, '', FIG.replace('Fig', ' Fig '), FIG.replace('Fig', 'fig'))).toEqual([
    {
      row: 5,
      type: 'Duplicate',
      code: 'Duplicate',
      message: 'Duplicate Fragrance Found: Fig',
      cell: { name: 'A5', value: 'Fig' },
      remedy: 'Row 2 has this name already. Rename or delete one of the two rows.',
    },
    {
      row: 6,
      type: 'Duplicate',
      code: 'Duplicate',
      message: 'Duplicate Fragrance Found: fig',
      cell: { name: 'A6', value: 'fig' },
      remedy: 'Row 2 has this name already. Rename or delete one of the two rows.',
    },
  ]);
});

test('a name in another form is a duplicate', async () => {
  const forms = ['Thé Vert', 'The\u0301 Vert', 'THÉ vert', 'Thé\u00a0Vert', 'Thé  Vert', 'Ｔhé Vert', 'Thé Vert\u200b'];
  const errors = await errorsOf(HEADER, ...forms.map((name) => FIG.replace('Fig', name)));
  expect(errors.filter(({ code }) => code === 'Duplicate').map(({ row }) => row)).toEqual([3, 4, 5, 6, 7, 8]);
  expect(errors.filter(({ code }) => code !== 'Duplicate').map(({ row }) => row)).toEqual([8]);
});

test('columns must be those of the catalogue', async () => {
  const header = HEADER.replace('SKU', 'Notes');
  expect(await errorsOf(header, FIG)).toEqual([
    {
      row: 1,
      type: 'MissingColumn',
      code: 'MissingColumn',
      message: 'Missing column: SKU',
      remedy: 'Add a column with the header SKU; its cells may be empty where that is allowed.',
    },
    {
      row: 1,
      type: 'InvalidValue',
      code: 'UnknownColumn',
      message: 'Unknown column: Notes',
      cell: { name: 'B1', value: 'Notes' },
      remedy: 'Delete the column, or give it the name of a column of the catalogue.',
    },
  ]);
  const twice = HEADER.replace('SKU', 'Density');
  expect((await errorsOf(twice, FIG)).map(({ code }) => code)).toEqual([
    'MissingColumn',
    'UnknownColumn',
    'InvalidValue',
  ]);
});

test('invalid values are reported with cell, value and remedy', async () => {
  const number = 'Enter digits with a decimal point and no unit, for example 0.9.';
  const lines = 'Remove line breaks and control characters from Fragrance.';
  for (const [from, to, message, name, remedy] of [
    ['Fig', '', 'Fragrance is required', 'A3', 'Fill in Fragrance, or delete the row.'],
    ['Fig', 'x'.repeat(256), 'Fragrance must be at most 255 characters', 'A3', 'Shorten Fragrance.'],
    ['Fig', 'x'.repeat(1_000_000), 'Fragrance must be at most 255 characters', 'A3', 'Shorten Fragrance.'],
    ['Fig', 'a\nb', 'Fragrance must be one line of text', 'A3', lines],
    [
      'Fig',
      'a\u200bb',
      'Fragrance has a character that cannot be seen',
      'A3',
      'Type Fragrance anew: a mark for the direction or the width of text was copied with it.',
    ],
    ['0.9', '', 'Density is required', 'C3', 'Fill in Density, or delete the row.'],
    ['0.9', '-1', 'Density must be a number of at least 0', 'C3', number],
    ['0.9', '0,9', 'Density must be a number of at least 0', 'C3', number],
    ['0.9', '1e3', 'Density must be a number of at least 0', 'C3', number],
    ['0.25', 'Infinity', 'AQ300w500 must be a number of at least 0', 'E3', number],
    ['1.1', '0x10', 'AQ800w2500 must be a number of at least 0', 'H3', number],
  ] as const) {
    const cell = { name, value: to };
    const quoted = FIG.replace(from, /[\n,]/.test(to) ? `"${to}"` : to);
    expect(await errorsOf(HEADER, FIG.replace('Fig', 'Amber'), quoted), to.slice(0, 9)).toEqual([
      { row: 3, type: 'InvalidValue', code: 'InvalidValue', message, cell, remedy },
    ]);
  }
});

test('a cell is named by its position in the file, in any column order', async () => {
  const [error] = await errorsOf(
    'Density,Fragrance,SKU,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500',
    '',
    'heavy,Fig,F-1,,,,,,,',
  );
  expect(error).toMatchObject({ row: 3, cell: { name: 'A3', value: 'heavy' } });
});

test('parser errors have spreadsheet rows', async () => {
  const errors = await errorsOf(
    HEADER,
    FIG,
    'Amber,A-1,0.9',
    '',
    `${FIG.replace('Fig', 'Zest')},extra`,
    '"Iris,I-1,0.9',
  );
  expect(errors.every(({ remedy }) => remedy)).toBe(true);
  expect(errors.map(({ row, type, code }) => [row, type, code])).toEqual([
    [3, 'FieldMismatch', 'TooFewFields'],
    [5, 'FieldMismatch', 'TooManyFields'],
    [6, 'Quotes', 'MissingQuotes'],
    [6, 'FieldMismatch', 'TooFewFields'],
  ]);
});

test('a file must have rows, be text, and not be too large', async () => {
  const codes = async (file: Blob) => (await readCatalogue(file)).errors.map(({ row, code }) => [row, code]);
  expect(await codes(new Blob([HEADER]))).toEqual([[null, 'NoRows']]);
  expect(await codes(new Blob(['']))).toContainEqual([null, 'NoRows']);
  expect(await codes(new Blob([HEADER, '\n', new Uint8Array([0xc9]), 'meraude,,1,,,,,,,']))).toEqual([
    [null, 'NotUtf8'],
  ]);
  expect(await codes(new Blob([new Uint8Array(4 * 1024 * 1024 + 1)]))).toEqual([[null, 'FileTooLarge']]);
  const many = Array.from({ length: 10_001 }, (_, number) => `F${number},,1,,,,,,,`);
  expect(await codes(new Blob([[HEADER, ...many].join('\n')]))).toEqual([[null, 'TooManyRows']]);
  expect(await codes(new Blob([[HEADER, ...many.slice(1)].join('\n')]))).toEqual([]);
});
