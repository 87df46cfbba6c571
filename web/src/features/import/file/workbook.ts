import { isText } from '@/domain/catalogue';
import { t } from '@/i18n/en';
import { type CatalogueError, type CellFault, fileError, MOST_ROWS, type Sheet, type SheetRow } from './catalogue-file';
import { columnOf } from './catalogue-sheet';

/** The limit for a part of the workbook after decompression. The largest catalogue needs a quarter of it. */
const MAX_PART_BYTES = 16 * 1024 * 1024;
/** A cell further right is an error anyway. The limit keeps the rows of a damaged workbook small. */
const MOST_COLUMNS = 100;
/** For each part. A sheet with the most rows needs two thirds of it. */
const MOST_ELEMENTS = 500_000;
/** The limit of spreadsheets. */
const LONGEST_FORMAT = 255;

const STEP_BYTES = 8 * 1024;

const ZIP_END = 0x06054b50;
const ZIP_END_BYTES = 22;
const ZIP_ENTRY = 0x02014b50;
const STORED = 0;
const DEFLATED = 8;
const IS_ENCRYPTED = 1;

/** The formats of dates and times without a format code of their own. */
const DATE_FORMATS = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const;
/** The parts of a format code that are literal text, colors or conditions. */
const LITERALS = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]/gu;
const DAY_MS = 86_400_000;
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

const { problems, remedies } = t.catalogue;

class TooLarge extends Error {}

/** The first sheet of an XLSX workbook. */
export async function readWorkbook(bytes: Uint8Array<ArrayBuffer>): Promise<Sheet | CatalogueError> {
  try {
    return { rows: await firstSheet(partsOf(bytes)), errors: [], hasDecimalCommas: true };
  } catch (error) {
    return error instanceof TooLarge
      ? fileError('FileTooLarge', problems.workbookTooLarge, remedies.splitFile)
      : fileError('NotReadable', problems.damagedWorkbook, remedies.damagedWorkbook);
  }
}

/** Reads a part of the workbook by its path; undefined if there is none. */
type Parts = (path: string) => Promise<Document | undefined>;

/** Reads the directory of the ZIP archive. */
function partsOf(archive: Uint8Array<ArrayBuffer>): Parts {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  let end = archive.length - ZIP_END_BYTES;
  while (view.getUint32(end, true) !== ZIP_END) end--;
  const entries = new Map<string, { method: number; start: number; size: number }>();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (view.getUint32(at, true) !== ZIP_ENTRY) throw new Error('no entry of the directory');
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const name = new TextDecoder().decode(archive.subarray(at + 46, at + 46 + (nameLength ?? 0)));
    const local = view.getUint32(at + 42, true);
    const isEncrypted = (view.getUint16(at + 8, true) & IS_ENCRYPTED) !== 0;
    entries.set(name, {
      method: isEncrypted ? -1 : view.getUint16(at + 10, true),
      start: local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true),
      size: view.getUint32(at + 20, true),
    });
    at += 46 + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
  }
  return async (path) => {
    const entry = entries.get(path);
    if (!entry) return undefined;
    const packed = archive.subarray(entry.start, entry.start + entry.size);
    if (entry.method !== STORED && entry.method !== DEFLATED) throw new Error('unknown compression');
    const part = entry.method === STORED ? packed : await inflated(packed);
    return parseXml(new TextDecoder('utf-8', { fatal: true }).decode(part));
  };
}

/** Decompresses up to the limit. The directory can name a wrong size, so only the result counts. */
async function inflated(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const { readable, writable } = new DecompressionStream('deflate-raw');
  // The reader reports invalid data as well.
  write(packed, writable).catch(() => undefined);
  const reader = readable.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_PART_BYTES) {
      await reader.cancel();
      throw new TooLarge();
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/** Writes small pieces, because the browser decompresses a piece at once, to a thousand times its size. */
async function write(bytes: Uint8Array<ArrayBuffer>, to: WritableStream<BufferSource>): Promise<void> {
  const writer = to.getWriter();
  for (let at = 0; at < bytes.length; at += STEP_BYTES) await writer.write(bytes.subarray(at, at + STEP_BYTES));
  await writer.close();
}

/** Workbooks have no document type; entities that it declares could grow without limit. */
function parseXml(text: string): Document {
  if (text.includes('<!DOCTYPE')) throw new Error('document type');
  if ((text.match(/<[^/!?]/g)?.length ?? 0) > MOST_ELEMENTS) throw new TooLarge();
  const xml = new DOMParser().parseFromString(text, 'application/xml');
  if (xml.getElementsByTagName('parsererror').length > 0) throw new Error('no XML');
  return xml;
}

/** The elements with this name in any namespace, because there are two, with any prefix. */
function all(parent: Document | Element | undefined, name: string): Element[] {
  return [...(parent?.getElementsByTagNameNS('*', name) ?? [])];
}

/** The child elements with this name. Unlike with descendants, nesting them in each other costs nothing. */
function children(parent: Element | undefined, name: string): Element[] {
  const found: Element[] = [];
  for (let child = parent?.firstElementChild; child; child = child.nextElementSibling) {
    if (child.localName === name) found.push(child);
  }
  return found;
}

interface Relation {
  id: string;
  type: string;
  path: string;
}

/** The parts to which a part refers. The path of the package itself is empty. */
async function relationsOf(parts: Parts, path: string): Promise<Relation[]> {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const xml = await parts(`${folder}_rels/${path.slice(folder.length)}.rels`);
  return all(xml, 'Relationship').map((relation) => ({
    id: relation.getAttribute('Id') ?? '',
    type: relation.getAttribute('Type')?.split('/').at(-1) ?? '',
    path: new URL(relation.getAttribute('Target') ?? '', `http://package/${path}`).pathname.slice(1),
  }));
}

async function firstSheet(parts: Parts): Promise<SheetRow[]> {
  const root = await relationsOf(parts, '');
  const workbookPath = root.find(({ type }) => type === 'officeDocument')?.path ?? '';
  const workbook = await parts(workbookPath);
  const relations = await relationsOf(parts, workbookPath);
  const part = async (type: string) => {
    const path = relations.find((relation) => relation.type === type)?.path;
    return path === undefined ? undefined : parts(path);
  };
  const worksheets = all(workbook, 'sheet').flatMap((sheet) => {
    const ids = [...sheet.attributes].filter(({ localName }) => localName === 'id').map(({ value }) => value);
    const isHidden = (sheet.getAttribute('state') ?? 'visible') !== 'visible';
    return isHidden ? [] : relations.filter(({ id, type }) => type === 'worksheet' && ids.includes(id));
  });
  const sheet = await parts(worksheets[0]?.path ?? '');
  if (!sheet) throw new Error('no sheet');
  const epoch = isOn(all(workbook, 'workbookPr')[0], 'date1904') ? EPOCH_1904 : EPOCH_1900;
  return rowsOf(sheet, {
    strings: children((await part('sharedStrings'))?.documentElement, 'si').map(textOf),
    styles: cellStyles(await part('styles')),
    epoch,
  });
}

function isOn(element: Element | undefined, name: string): boolean {
  return ['1', 'true'].includes(element?.getAttribute(name) ?? '');
}

/** How a cell displays its number. */
interface CellStyle {
  isDate: boolean;
  /** Integers have at least so many digits. */
  digits: number;
}

function cellStyles(styles: Document | undefined): CellStyle[] {
  const custom = new Map(
    all(styles, 'numFmt').map((format) => [Number(format.getAttribute('numFmtId')), styleOf(format)]),
  );
  return all(all(styles, 'cellXfs')[0], 'xf').map((style) => {
    const id = Number(style.getAttribute('numFmtId'));
    const isDate = DATE_FORMATS.some(([first, last]) => id >= first && id <= last);
    return custom.get(id) ?? { isDate, digits: 0 };
  });
}

function styleOf(format: Element): CellStyle {
  const code = format.getAttribute('formatCode') ?? '';
  if (code.length > LONGEST_FORMAT) return { isDate: false, digits: 0 };
  return { isDate: /[dmyhs]/i.test(code.replaceAll(LITERALS, '')), digits: /^0+$/.test(code) ? code.length : 0 };
}

interface Meanings {
  strings: readonly string[];
  styles: readonly CellStyle[];
  /** The time of day 0. */
  epoch: number;
}

/** The rows with text. Empty cells and rows are usually not stored. */
function rowsOf(sheet: Document, meanings: Meanings): SheetRow[] {
  const rows: SheetRow[] = [];
  let row = 0;
  for (const element of children(children(sheet.documentElement, 'sheetData')[0], 'row')) {
    row = Number(element.getAttribute('r') ?? row + 1);
    const cells: string[] = [];
    const faults = new Map<number, CellFault>();
    let place = -1;
    for (const cell of children(element, 'c')) {
      place = Math.min(placeOf(cell.getAttribute('r')) ?? place + 1, MOST_COLUMNS);
      while (cells.length < place) cells.push('');
      const { text, padded, fault } = cellValue(cell, meanings);
      cells[place] = padded !== undefined && isTextHeader(rows[0]?.cells[place]) ? padded : text;
      if (fault) faults.set(place, fault);
    }
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ row, cells, faults });
    // One more than allowed, without the header, is enough for the error.
    if (rows.length > MOST_ROWS + 1) break;
  }
  const columns = rows[0]?.cells.length ?? 0;
  return rows.map((row) => ({
    ...row,
    cells: [...row.cells, ...Array(Math.max(0, columns - row.cells.length)).fill('')],
  }));
}

function isTextHeader(heading = ''): boolean {
  const column = columnOf(heading);
  return column !== undefined && isText(column);
}

/** The place of a column from the name of a cell: 27 for `AB5`. */
function placeOf(name: string | null): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(name ?? '') ?? [];
  if (letters === undefined) return undefined;
  return [...letters].reduce((place, letter) => place * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

interface CellValue {
  text: string;
  /** With the leading zeros of its format. */
  padded?: string;
  fault?: CellFault;
}

function cellValue(cell: Element, { strings, styles, epoch }: Meanings): CellValue {
  const type = cell.getAttribute('t') ?? 'n';
  if (type === 'inlineStr') return { text: textOf(children(cell, 'is')[0]) };
  const [stored] = children(cell, 'v');
  const [formula] = children(cell, 'f');
  const value = stored?.textContent ?? '';
  // The stored value of a formula can be an empty text.
  const isEmptyText = type === 'str' && stored !== undefined;
  if (formula && value === '' && !isEmptyText) return { text: `=${formula.textContent}`, fault: 'formula' };
  if (type === 'e') return { text: value, fault: 'formulaError' };
  if (value === '') return { text: '' };
  if (type === 's') {
    const text = strings[Number(value)];
    if (text === undefined) throw new Error('no shared string');
    return { text };
  }
  if (type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE' };
  if (type === 'd') return { text: value, fault: 'date' };
  const number = Number(value);
  if (type !== 'n' || !Number.isFinite(number)) return { text: unescaped(value) };
  const { isDate = false, digits = 0 } = styles[Number(cell.getAttribute('s') ?? 0)] ?? {};
  if (isDate) {
    const date = new Date(epoch + number * DAY_MS);
    return { text: Number.isNaN(date.getTime()) ? value : date.toISOString().slice(0, 10), fault: 'date' };
  }
  const text = numberText(number);
  return text.length < digits && /^\d+$/.test(text) ? { text, padded: text.padStart(digits, '0') } : { text };
}

/** The text in all formats of a string, without the phonetic readings. */
function textOf(string: Element | undefined): string {
  const parts = [...(string?.children ?? [])].flatMap((part) => (part.localName === 'r' ? children(part, 't') : part));
  const texts = parts.filter(({ localName }) => localName === 't');
  return unescaped(texts.map(({ textContent }) => textContent ?? '').join(''));
}

/** Workbooks write control characters as `_x000D_`. */
function unescaped(text: string): string {
  return text.replaceAll(/_x([0-9A-F]{4})_/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** A number with the 15 digits that spreadsheets display: 0.3 instead of 0.30000000000000004. */
function numberText(number: number): string {
  const text = String(Number(number.toPrecision(15)));
  return text.includes('e-') ? number.toFixed(18).replace(/\.?0+$/, '') : text;
}
