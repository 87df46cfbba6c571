import { expect, test } from 'vitest';
import { CATALOGUE_COLUMNS, type Cells } from '@/domain/catalogue';
import { readCatalogue, writeCatalogue } from './catalogue-csv';
import type { CatalogueFile } from './catalogue-file';

const HEADER = 'Fragrance,SKU,Density,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500';
const FIG = 'Fig,F-1,0.9,0.5,0.25,,1,1.1,1.9,2';

type Options = Parameters<typeof readCatalogue>[1];

/** Reads a file whose encoding is certain. */
async function contents(file: Blob, options?: Options): Promise<CatalogueFile> {
  const result = await readCatalogue(file, options);
  if ('samples' in result) throw new Error('the encoding is uncertain');
  return result;
}

const read = (...lines: string[]) => contents(new Blob([lines.join('\r\n')]));
const errorsOf = async (...lines: string[]) => (await read(...lines)).errors;

test('exported and imported files have the columns of the catalogue', async () => {
  const { rows, errors } = await read(HEADER, FIG);
  expect(errors).toEqual([]);
  expect(Object.keys(rows[0]?.cells ?? {})).toEqual([...CATALOGUE_COLUMNS]);
  expect(writeCatalogue(rows.map(({ cells }) => cells))).toBe(`\uFEFF${HEADER}\r\n${FIG}`);
});

test('a written catalogue is read back unchanged, with any names', async () => {
  const cells = (name: string) => ({
    ...Object.fromEntries(CATALOGUE_COLUMNS.map((c) => [c, ''])),
    Fragrance: name,
    Density: '0',
  });
  const names = ['=1+1', '+47', '@SUM(A1)', 'a, b', 'a; b', 'say "hi"', "'quoted'", 'Émeraude', '<b>Fig</b>', '007'];
  const before = names.map((name) => cells(name) as Cells);
  const { rows, errors } = await contents(new Blob([writeCatalogue(before)]));
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

test('cells are trimmed', async () => {
  const { rows, errors } = await read(`${HEADER} `, FIG.replace('Fig', ' Fig '));
  expect(errors).toEqual([]);
  expect(rows.map(({ cells }) => [cells.Fragrance, cells.AQ1200w2500])).toEqual([['Fig', '2']]);
});

/** The characters of the test that have other bytes in Windows-1252 than in Latin-1. */
const WINDOWS_1252 = new Map([
  ['’', 0x92],
  ['Œ', 0x8c],
]);

const utf16 = (text: string, isLittleEndian: boolean) => {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let place = 0; place < text.length; place++) view.setUint16(place * 2, text.charCodeAt(place), isLittleEndian);
  return view;
};
const windows1252 = (text: string) =>
  Uint8Array.from(text, (character) => WINDOWS_1252.get(character) ?? character.charCodeAt(0));

const ENCODINGS: Record<string, (text: string) => Blob> = {
  'UTF-8': (text) => new Blob([text]),
  'UTF-8 with a byte order mark': (text) => new Blob([`\uFEFF${text}`]),
  'UTF-16 LE': (text) => new Blob([utf16(`\uFEFF${text}`, true)]),
  'UTF-16 BE': (text) => new Blob([utf16(`\uFEFF${text}`, false)]),
  'Windows-1252': (text) => new Blob([windows1252(text)]),
};
const LINE_ENDS = { CRLF: '\r\n', LF: '\n', CR: '\r' };
const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' };

for (const [encoding, encode] of Object.entries(ENCODINGS)) {
  for (const [separatorName, separator] of Object.entries(SEPARATORS)) {
    test.each(Object.entries(LINE_ENDS))(`${encoding}, ${separatorName} and %s are read`, async (_, lineEnd) => {
      const header = HEADER.replaceAll(',', separator);
      const names = ['Œillet d’Été', 'Größe, klein; "fein"'];
      const table = names.map((name, place) =>
        [`"${name.replaceAll('"', '""')}"`, `N-${place}`, '0.915', '0.5', '', '', '', '', '', '2'].join(separator),
      );
      const isWindows1252 = encoding === 'Windows-1252';
      const sepLine = `sep=${separator}`;
      for (const [lines, first] of [
        [[header, ...table], 2],
        [[sepLine, header, ...table, ''], 3],
        [['', header, '', ...table, separator.repeat(9)], 4],
        [[separator.repeat(9), ` ${separator} ${separator}`, '', header, ...table], 5],
        [[sepLine, separator.repeat(9), header, ...table], 4],
      ] as const) {
        const { rows, errors } = await contents(encode(lines.join(lineEnd)), { isWindows1252 });
        expect(errors).toEqual([]);
        expect(rows.map(({ row, cells }) => [row, cells.Fragrance, cells.Density, cells.AQ1200w2500])).toEqual(
          names.map((name, place) => [first + place, name, '0.915', '2']),
        );
      }
    });
  }
}

test('any separator is read that the first line names', async () => {
  for (const [line, separator] of [
    ['sep=|', '|'],
    ['SEP=,', ','],
  ] as const) {
    const { rows, errors } = await read(line, ...[HEADER, FIG].map((line) => line.replaceAll(',', separator)));
    expect(errors).toEqual([]);
    expect(rows.map(({ row, cells }) => [row, cells.Fragrance])).toEqual([[3, 'Fig']]);
  }
});

test('decimal commas are numbers where the separator is not a comma', async () => {
  for (const separator of [';', '\t']) {
    const line = ['Fig, ripe', '1,5', '0,9', '"0,5"', ',25', '', '1', '1,1', '1.9', '2,'].join(separator);
    const { rows, errors } = await read(HEADER.replaceAll(',', separator), line);
    expect(errors).toEqual([]);
    const cells = ['Fig, ripe', '1,5', '0.9', '0.5', '.25', '', '1', '1.1', '1.9', '2.'];
    expect(Object.values(rows[0]?.cells ?? {})).toEqual(cells);
    const thousands = await read(HEADER.replaceAll(',', separator), line.replace('0,9', '1.000,9'));
    expect(thousands.errors.map(({ message }) => message)).toEqual(['Density must be a number of at least 0']);
  }
});

test('a comma that can separate thousands or decimals is an error', async () => {
  const line = 'Fig;F-1;0,918;0,428;1,250;999,000;12,5;1,25;1250,5;1.250';
  const { rows, errors } = await read(HEADER.replaceAll(',', ';'), line);
  expect(Object.values(rows[0]?.cells ?? {}).join(';')).toBe(
    'Fig;F-1;0.918;0.428;1,250;999,000;12.5;1.25;1250.5;1.250',
  );
  expect(errors.map(({ message, cell, remedy }) => [message, cell, remedy])).toEqual([
    ['AQ300w500 can mean 1250 or 1.25', { name: 'E2', value: '1,250' }, 'Write 1250 or 1.25.'],
    ['AQ500w500 can mean 999000 or 999', { name: 'F2', value: '999,000' }, 'Write 999000 or 999.'],
  ]);
});

test('empty columns at the end and in between are ignored', async () => {
  const { rows, errors } = await read(
    `${HEADER.replace('SKU', 'SKU,')},,, `,
    `${FIG.replace('F-1', 'F-1,')},,,`,
    FIG.replace(/Fig,F-1/, 'Amber,A-1,'),
  );
  expect(errors).toEqual([]);
  expect(rows.map(({ cells }) => cells.Density)).toEqual(['0.9', '0.9']);
  const surplus = await errorsOf(`${HEADER},,`, `${FIG},,late`);
  expect(surplus.map(({ row, code, cell }) => [row, code, cell?.name])).toEqual([[2, 'TooManyFields', 'L2']]);
});

test('headers are read regardless of case and blanks, and as the page shows them', async () => {
  for (const header of [
    'FRAGRANCE,sku, density ,aq200W500,AQ 300 w500,AQ500w500,AQ800 W1250,AQ800w2500,AQ1200w1250,AQ1200\u00a0w2500',
    'fragrance,SKU,Density,AQ200,aq300,AQ500,AQ800 1250ml,AQ800 2500 ml,AQ1200 1250ml,AQ1200 2500ML',
  ]) {
    const { rows, errors } = await read(header, FIG);
    expect(errors).toEqual([]);
    expect(Object.values(rows[0]?.cells ?? {}).join(',')).toBe(FIG);
  }
  const cell = (await errorsOf(HEADER.replace('Density', 'density'), FIG.replace('0.9', 'heavy')))[0]?.cell;
  expect(cell).toEqual({ name: 'C2', value: 'heavy' });
});

test('two headers for one column are an error', async () => {
  const errors = await errorsOf(HEADER.replace('AQ500w500', 'aq 200'), FIG);
  expect(errors.map(({ code }) => code)).toEqual(['MissingColumn', 'DuplicateColumn']);
  expect(errors[1]).toEqual({
    row: 1,
    type: 'Duplicate',
    code: 'DuplicateColumn',
    message: 'The headers “AQ200w500” (D1) and “aq 200” (F1) are both the column AQ200w500',
    cell: { name: 'F1', value: 'aq 200' },
    remedy: 'Delete one of the two columns.',
  });
});

test('a file that is not UTF-8 is a question with names as Windows-1252', async () => {
  const names = ['Plain', 'Thé d’Été', 'Œillet', 'Größe'].map((name) => FIG.replace('Fig', name));
  const question = await readCatalogue(new Blob([windows1252([HEADER, ...names].join('\r'))]));
  expect(question).toEqual({ samples: ['Thé d’Été', 'Œillet', 'Größe'] });
  const elsewhere = [HEADER, FIG.replace('F-1', 'É-1')].join('\n');
  expect(await readCatalogue(new Blob([windows1252(elsewhere)]))).toEqual({ samples: [FIG.replace('F-1', 'É-1')] });
});

test('files that are not text are refused', async () => {
  const codes = async (...parts: BlobPart[]) => {
    const { errors } = await contents(new Blob(parts));
    expect(errors.every(({ remedy }) => remedy)).toBe(true);
    return errors.map(({ code, message }) => [code, message]);
  };
  const notText = [['NotText', 'The file is not text in UTF-8, UTF-16 or Windows-1252']];
  for (const byte of [0x81, 0x8d, 0x8f, 0x90, 0x9d]) {
    expect(await codes(HEADER, '\n', new Uint8Array([0x41, byte]))).toEqual(notText);
  }
  expect(await codes(HEADER, '\nFi\0g,F-1,0.9')).toEqual(notText);
  expect(await codes(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0]))).toEqual(notText);
  expect(await codes(utf16(`${HEADER}\n${FIG}`, true))).toEqual(notText);
  expect(await codes(utf16(`\uFEFF${HEADER}\n\ud800`, true))).toEqual(notText);
  expect(await codes(utf16(`\uFEFF${HEADER}`, true), 'x')).toEqual(notText);
  const container = new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  expect(await codes(container, 'Workbook')).toEqual([
    ['NotReadable', 'The file is a workbook in the format of Excel before 2007 (XLS)'],
  ]);
  expect(await codes(container, utf16('EncryptedPackage', true))).toEqual([
    ['NotReadable', 'The workbook is protected with a password'],
  ]);
});

test('names in the wrong encoding are errors with the probable name', async () => {
  const names = ['ThÃ© Vert', 'RosÃ©â€™s', 'VoilÃ\u00a0', 'MielÂ®', 'Plain'];
  const lines = names.map((name) => FIG.replace('Fig', name));
  const errors = await errorsOf(HEADER, ...lines);
  expect(errors.map(({ row, code, message }) => [row, code, message])).toEqual(
    ['Thé Vert', 'Rosé’s', 'Voilà', 'Miel®'].map((name, place) => [
      place + 2,
      'WrongEncoding',
      `Fragrance was saved in the wrong encoding; it is probably “${name}”`,
    ]),
  );
  expect(errors[0]?.remedy).toContain('Enter “Thé Vert” again.');
  const lost = await errorsOf(HEADER, FIG.replace('Fig', 'Th\ufffd'));
  expect(lost.map(({ code }) => code)).toEqual(['WrongEncoding']);
  // The export of a catalogue with such a name can still be imported.
  const present = new Map([['thã© vert', 'F-1']]);
  expect((await contents(new Blob([`${HEADER}\n${lines[0]}`]), { present })).errors).toEqual([]);
});

test('SKUs that a spreadsheet changed are warnings, and do not block', async () => {
  const skus = { Fig: '9.78316E+12', Amber: '52', Zest: '05-Mai', Iris: 'IR-5', Oud: '2.00E+03', New: '1.5E+10' };
  const lines = Object.entries(skus).map(([name, sku]) => FIG.replace('Fig,F-1', `${name},${sku}`));
  const before = { Fig: '9783161484100', Amber: '0052', Zest: '5-5', Iris: 'IR-4', Oud: '2.00E+03' };
  const present = new Map(Object.entries(before).map(([name, sku]) => [name.toLowerCase(), sku]));
  const { errors, warnings } = await contents(new Blob([[HEADER, ...lines].join('\n')]), { present });
  expect(errors).toEqual([]);
  expect(warnings.map(({ row, fragrance, before, after }) => [row, fragrance, before, after])).toEqual([
    [2, 'Fig', '9783161484100', '9.78316E+12'],
    [3, 'Amber', '0052', '52'],
    [4, 'Zest', '5-5', '05-Mai'],
    [7, 'New', undefined, '1.5E+10'],
  ]);
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
    'DuplicateColumn',
    'InvalidValue',
  ]);
});

test('invalid values are reported with cell, value and remedy', async () => {
  const number = 'Enter digits with a decimal point and no unit, for example 0.9.';
  const lines = 'Remove line breaks and control characters from Fragrance.';
  for (const [from, to, message, name, remedy] of [
    ['Fig', '', 'Fragrance is required', 'A3', 'Fill in Fragrance, or delete the row.'],
    ['Fig', 'x'.repeat(256), 'Fragrance must be at most 255 characters', 'A3', 'Shorten Fragrance.'],
    ['Fig', `Ã${'ƒ'.repeat(20_000)}`, 'Fragrance must be at most 255 characters', 'A3', 'Shorten Fragrance.'],
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

test('a file must have rows, and not be too large', async () => {
  const codes = async (file: Blob) => (await contents(file)).errors.map(({ row, code }) => [row, code]);
  expect(await codes(new Blob([HEADER]))).toEqual([[null, 'NoRows']]);
  expect(await codes(new Blob(['']))).toContainEqual([null, 'NoRows']);
  expect(await codes(new Blob([new Uint8Array(4 * 1024 * 1024 + 1)]))).toEqual([[null, 'FileTooLarge']]);
  const many = Array.from({ length: 10_001 }, (_, number) => `F${number},,1,,,,,,,`);
  expect(await codes(new Blob([[HEADER, ...many].join('\n')]))).toEqual([[null, 'TooManyRows']]);
  expect(await codes(new Blob([[HEADER, ...many.slice(1)].join('\n')]))).toEqual([]);
});
