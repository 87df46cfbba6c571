// @vitest-environment jsdom
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { readCatalogue } from './catalogue-csv';
import type { CatalogueFile } from './catalogue-file';
import { readWorkbook } from './workbook';
import { archive, rowXml, WORKBOOK, workbook, workbookParts } from './workbook.fixture';

const HEADER = 'Fragrance,SKU,Density,AQ200w500,AQ300w500,AQ500w500,AQ800w1250,AQ800w2500,AQ1200w1250,AQ1200w2500';
const COLUMNS = HEADER.split(',');

const rowsOf = async (bytes: Uint8Array<ArrayBuffer>) => {
  const sheet = await readWorkbook(bytes);
  if ('code' in sheet) throw new Error(sheet.message);
  return sheet.rows.map(({ row, cells }) => [row, ...cells]);
};
const refusal = async (bytes: Uint8Array<ArrayBuffer>) => {
  const result = await readWorkbook(bytes);
  return 'code' in result ? [result.code, result.message] : undefined;
};
const DAMAGED = ['NotReadable', 'The file is not an XLSX workbook, or it is damaged'];
const TOO_LARGE = ['FileTooLarge', 'The workbook is too large after decompression'];

test('a workbook becomes a catalogue', async () => {
  const file = (await readCatalogue(
    new Blob([workbook(COLUMNS, ['Émeraude & Bois', 4012345678901, 0.1 + 0.2, 0.5, 0.25, '', 1, '1,1', 1.9, 2e-7])]),
  )) as CatalogueFile;
  expect(file.errors).toEqual([]);
  expect(file.rows.map(({ row, cells }) => [row, ...Object.values(cells)])).toEqual([
    [2, 'Émeraude & Bois', '4012345678901', '0.3', '0.5', '0.25', '', '1', '1.1', '1.9', '0.0000002'],
  ]);
});

test('shared strings are read with all their formats, without phonetic readings', async () => {
  const strings = [
    '<si><t>Plain</t></si>',
    '<si><r><t xml:space="preserve">Rich </t></r><r><t>text</t></r></si>',
    '<si><t>香</t><rPh sb="0" eb="1"><t>カ</t></rPh></si>',
    '<si><t>a_x0041_b</t></si>',
  ];
  const cells = `${strings.map((_, place) => `<c t="s"><v>${place}</v></c>`).join('')}<c t="s"/><c t="s"><v/></c>`;
  const more = { 'xl/sharedStrings.xml': `<sst>${strings.join('')}</sst>` };
  expect(await rowsOf(archive(workbookParts(`<row>${cells}</row>`, more)))).toEqual([
    [1, 'Plain', 'Rich text', '香', 'aAb', '', ''],
  ]);
  expect(await refusal(archive(workbookParts('<row><c t="s"><v>4</v></c></row>', more)))).toEqual(DAMAGED);
});

test('empty rows and cells are skipped but counted', async () => {
  const xml = `${rowXml(3, ['A', '', 'C'])}<row r="4"/>${rowXml(7, ['', 'B'])}<row><c><v>1</v></c><c r="C8" t="b"><v>1</v></c></row>`;
  expect(await rowsOf(archive(workbookParts(xml)))).toEqual([
    [3, 'A', '', 'C'],
    [7, '', 'B', ''],
    [8, '1', '', 'TRUE'],
  ]);
});

test('the first visible sheet is read, from any prefix and namespace', async () => {
  const parts = workbookParts('', {
    'xl/workbook.xml': WORKBOOK.replace(
      '<sheet ',
      '<sheet name="Hidden" sheetId="2" state="hidden" r:id="r2"/><sheet ',
    ),
    'xl/worksheets/sheet1.xml':
      '<x:worksheet xmlns:x="http://purl.oclc.org/ooxml/spreadsheetml/main"><x:sheetData><x:row r="1"><x:c r="A1"><x:v>7</x:v></x:c></x:row></x:sheetData></x:worksheet>',
  });
  expect(await rowsOf(archive(parts))).toEqual([[1, '7']]);
});

test('dates are errors with their cell, in columns of numbers and SKUs', async () => {
  const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="d\\-mmm"/><numFmt numFmtId="165" formatCode="[Red]0.00&quot; days&quot;"/></numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="49"/></cellXfs></styleSheet>`;
  const header = rowXml(1, COLUMNS);
  const row = `<row r="2"><c r="A2" t="inlineStr"><is><t>Fig</t></is></c><c r="B2" s="2"><v>45994</v></c><c r="C2" s="1"><v>45994.5</v></c><c r="D2" s="3"><v>0.5</v></c><c r="E2" s="4"><v>0.25</v></c></row>`;
  const file = (await readCatalogue(
    new Blob([archive(workbookParts(header + row, { 'xl/styles.xml': styles }))]),
  )) as CatalogueFile;
  expect(file.errors.map(({ code, message, cell }) => [code, message, cell])).toEqual([
    ['Date', 'SKU is a date', { name: 'B2', value: '2025-12-03' }],
    ['Date', 'Density is a date', { name: 'C2', value: '2025-12-03' }],
  ]);
  expect(file.rows[0]?.cells).toMatchObject({ AQ200w500: '0.5', AQ300w500: '0.25' });
});

test('formulas without a stored value and with errors are errors with their cell', async () => {
  const row = `<row r="2"><c r="A2" t="e"><f>X1</f><v>#REF!</v></c><c r="B2" t="str"><f>""</f><v></v></c><c r="C2"><f>0.3*3</f><v>0.9</v></c>
    <c r="D2" t="e"><v>#N/A</v></c><c r="E2"><f>A1*2</f></c><c r="F2"><f>A1*3</f><v/></c><c r="G2" t="str"><f>A1</f></c><c r="H2"/></row>`;
  const file = (await readCatalogue(new Blob([archive(workbookParts(rowXml(1, COLUMNS) + row))]))) as CatalogueFile;
  const without = 'has a formula without a stored value';
  expect(file.errors.map(({ code, message, cell }) => [code, message, cell])).toEqual([
    ['Formula', 'Fragrance is the error of a formula', { name: 'A2', value: '#REF!' }],
    ['Formula', 'AQ200w500 is the error of a formula', { name: 'D2', value: '#N/A' }],
    ['Formula', `AQ300w500 ${without}`, { name: 'E2', value: '=A1*2' }],
    ['Formula', `AQ500w500 ${without}`, { name: 'F2', value: '=A1*3' }],
    ['Formula', `AQ800w1250 ${without}`, { name: 'G2', value: '=A1' }],
  ]);
  expect(file.errors[2]?.remedy).toBe('Open the workbook in a spreadsheet and save it.');
  expect(file.rows[0]?.cells).toMatchObject({ SKU: '', Density: '0.9', AQ800w2500: '' });
});

test('integers in text columns have the leading zeros of their format', async () => {
  const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="000000"/><numFmt numFmtId="165" formatCode="${'0'.repeat(256)}"/></numFmts>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/></cellXfs></styleSheet>`;
  const row = (row: number, sku: number, style: number) =>
    `<row r="${row}"><c t="inlineStr"><is><t>Fig ${row}</t></is></c><c s="${style}"><v>${sku}</v></c><c s="1"><v>1</v></c></row>`;
  const xml = rowXml(1, COLUMNS) + row(2, 731, 1) + row(3, 7312345, 1) + row(4, 73.5, 1) + row(5, 731, 2);
  const file = (await readCatalogue(
    new Blob([archive(workbookParts(xml, { 'xl/styles.xml': styles }))]),
  )) as CatalogueFile;
  expect(file.errors).toEqual([]);
  expect(file.rows.map(({ cells }) => [cells.SKU, cells.Density])).toEqual([
    ['000731', '1'],
    ['7312345', '1'],
    ['73.5', '1'],
    ['731', '1'],
  ]);
});

test('long format codes and nested rows are ignored', async () => {
  const codes = Array.from(
    { length: 100 },
    (_, n) => `<numFmt numFmtId="${164 + n}" formatCode="${'['.repeat(50_000)}d"/>`,
  );
  const styles = `<styleSheet><numFmts>${codes.join('')}</numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`;
  const rows = '<row r="1"><c r="A1"><v>1</v></c>'.repeat(200) + '</row>'.repeat(200);
  expect(await rowsOf(archive(workbookParts(rows, { 'xl/styles.xml': styles })))).toEqual([[1, '1']]);
});

test('a part with too many elements is refused', async () => {
  expect(await refusal(archive(workbookParts('<c/>'.repeat(500_000))))).toEqual(TOO_LARGE);
});

test('a damaged or foreign archive is refused', async () => {
  const whole = workbook(COLUMNS);
  const parts = workbookParts(rowXml(1, COLUMNS));
  for (const bytes of [
    whole.slice(0, whole.length / 2),
    whole.map((byte, place) => (place > 40 && place < 90 ? 0 : byte)),
    new Uint8Array([0x50, 0x4b, 3, 4]),
    archive({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<office/>' }),
    archive({ ...parts, 'xl/worksheets/sheet1.xml': '<worksheet><row>' }),
    archive({ ...parts, 'xl/worksheets/sheet1.xml': '<!DOCTYPE a [<!ENTITY b "c">]><worksheet>&b;</worksheet>' }),
  ]) {
    expect(await refusal(bytes)).toEqual(DAMAGED);
  }
});

test('a workbook that grows by decompression is refused, even if its directory names a small size', async () => {
  const bytes = new Uint8Array(zipSync({ '_rels/.rels': new Uint8Array(20 * 1024 * 1024) }, { level: 9 }));
  expect(bytes.length).toBeLessThan(100 * 1024);
  const view = new DataView(bytes.buffer);
  const directory = view.getUint32(bytes.length - 6, true);
  expect(view.getUint32(directory + 24, true)).toBe(20 * 1024 * 1024);
  view.setUint32(directory + 24, 100, true);
  expect(await refusal(bytes)).toEqual(TOO_LARGE);
});

test('a workbook with too many rows is refused', async () => {
  const rows = Array.from({ length: 10_001 }, (_, place) => `<row r="${place + 2}"><c><v>${place}</v></c></row>`);
  const bytes = archive(workbookParts(rowXml(1, COLUMNS) + rows.join('')));
  const file = (await readCatalogue(new Blob([bytes]))) as CatalogueFile;
  expect(file.errors.map(({ code }) => code)).toEqual(['TooManyRows']);
});

test('a cell far to the right is an error, and takes no space', async () => {
  const far =
    '<row r="2"><c r="A2" t="inlineStr"><is><t>Fig</t></is></c><c r="C2"><v>1</v></c><c r="XFD2"><v>1</v></c></row>';
  const file = (await readCatalogue(new Blob([archive(workbookParts(rowXml(1, COLUMNS) + far))]))) as CatalogueFile;
  expect(file.errors.map(({ row, code }) => [row, code])).toEqual([[2, 'TooManyFields']]);
});
