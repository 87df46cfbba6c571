import { strToU8, zipSync } from 'fflate';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

const relations = (...targets: (readonly [type: string, target: string])[]) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(([type, target], place) => `<Relationship Id="r${place + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** The XML of a row with texts and numbers, without the empty cells. */
export function rowXml(row: number, cells: readonly (string | number)[]): string {
  const xml = cells.map((cell, place) => {
    const name = `${String.fromCharCode(65 + place)}${row}`;
    if (cell === '') return '';
    if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
    return `<c r="${name}" t="inlineStr"><is><t>${escaped(cell)}</t></is></c>`;
  });
  return `<row r="${row}">${xml.join('')}</row>`;
}

export const WORKBOOK = `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Catalogue" sheetId="1" r:id="r1"/></sheets></workbook>`;

/** The parts of a workbook with one sheet. */
export function workbookParts(rowsXml: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': WORKBOOK,
    'xl/_rels/workbook.xml.rels': relations(
      ['worksheet', 'worksheets/sheet1.xml'],
      ['sharedStrings', '/xl/sharedStrings.xml'],
      ['styles', 'styles.xml'],
    ),
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${rowsXml}</sheetData></worksheet>`,
    ...more,
  };
}

export function archive(parts: Record<string, string>): Uint8Array<ArrayBuffer> {
  const files = Object.entries(parts).map(([name, text]) => [name, strToU8(text)]);
  return new Uint8Array(zipSync(Object.fromEntries(files)));
}

/** A workbook with these rows from row 1. */
export function workbook(...rows: (readonly (string | number)[])[]): Uint8Array<ArrayBuffer> {
  return archive(workbookParts(rows.map((cells, place) => rowXml(place + 1, cells)).join('')));
}
