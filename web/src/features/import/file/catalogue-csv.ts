import Papa from 'papaparse';
import { CATALOGUE_COLUMNS, type Cells } from '@/domain/catalogue';
import { t } from '@/i18n/en';
import {
  type CatalogueError,
  type CatalogueFile,
  type EncodingQuestion,
  fileError,
  MAX_BYTES,
  refused,
  type Sheet,
} from './catalogue-file';
import { catalogueOf, columnOf, type PresentSkus } from './catalogue-sheet';
import { decodeUnicode, decodeWindows1252, kindOf } from './file-text';

/** Without it, spreadsheets read the file in the encoding of the computer. */
const BYTE_ORDER_MARK = '\uFEFF';
const SEPARATORS = [',', ';', '\t'];
/** The first line with which a file names its separator for spreadsheets. */
const SEPARATOR_LINE = /^sep=([^\n"])(?=\n|$)/i;
/** Lines of blanks and separators only, as spreadsheets write empty rows. */
const LEADING_EMPTY_LINES = /^[\s,;]*\n/;
const MOST_SAMPLES = 5;
const MOST_SAMPLE_CHARS = 100;

const { problems, remedies } = t.catalogue;

/** The catalogue as a file that can be imported unchanged. Names are not escaped against formulas. */
export function writeCatalogue(rows: readonly Partial<Cells>[]): string {
  const data = rows.map((row) => CATALOGUE_COLUMNS.map((column) => row[column] ?? ''));
  return BYTE_ORDER_MARK + Papa.unparse({ fields: [...CATALOGUE_COLUMNS], data });
}

interface ReadOptions {
  /** Set after the user has confirmed the encoding of a file that is not UTF-8. */
  isWindows1252?: boolean;
  /** The SKUs in the catalogue. */
  present?: PresentSkus;
}

/** The contents and errors of a file, or a question if its encoding is uncertain. */
export async function readCatalogue(
  file: Blob,
  { isWindows1252 = false, present = new Map() }: ReadOptions = {},
): Promise<CatalogueFile | EncodingQuestion> {
  if (file.size > MAX_BYTES) {
    return refused(fileError('FileTooLarge', problems.tooLarge(MAX_BYTES / 1024 / 1024), remedies.splitFile));
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  const kind = kindOf(bytes);
  if (kind === 'zip') {
    // Most files are text, and need no reader of workbooks.
    const { readWorkbook } = await import('./workbook');
    const sheet = await readWorkbook(bytes);
    return 'code' in sheet ? refused(sheet) : catalogueOf(sheet, present);
  }
  if (kind !== 'text') return refused(fileError('NotReadable', problems[kind], remedies[kind]));
  const text = isWindows1252 ? decodeWindows1252(bytes) : decodeUnicode(bytes);
  if (text !== undefined) return catalogueOf(parse(text), present);
  const guess = decodeWindows1252(bytes);
  return guess === undefined
    ? refused(fileError('NotText', problems.notText, remedies.notText))
    : { samples: samplesOf(catalogueOf(parse(guess), present), guess) };
}

/** The first names with letters beyond ASCII. If there are none, the first lines with such characters. */
function samplesOf({ rows }: CatalogueFile, text: string): string[] {
  const isBeyondAscii = (text: string) => /\P{ASCII}/u.test(text);
  const names = rows.map(({ cells }) => cells.Fragrance).filter(isBeyondAscii);
  const samples = names.length > 0 ? names : text.split(/[\r\n]+/).filter(isBeyondAscii);
  return samples.slice(0, MOST_SAMPLES).map((sample) => sample.slice(0, MOST_SAMPLE_CHARS));
}

/** The rows of a text file. */
function parse(file: string): Sheet {
  const text = file.replaceAll(/\r\n?/g, '\n');
  const [line = '', named] = SEPARATOR_LINE.exec(text) ?? [];
  const [leading = ''] = LEADING_EMPTY_LINES.exec(text.slice(line.length)) ?? [];
  const table = text.slice(line.length + leading.length);
  const delimiter = named ?? separatorOf(table);
  const first = leading.split('\n').length;
  // Skips empty lines here, because the parser's own option would change the row numbers.
  const { data, errors } = Papa.parse<string[]>(table, { delimiter, newline: '\n' });
  const rows = data
    .map((cells, place) => ({ row: first + place, cells }))
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const [header, ...lines] = rows;
  const columns = 1 + (header?.cells.findLastIndex((cell) => cell.trim() !== '') ?? 0);
  const short = lines.filter(({ cells }) => cells.length < columns);
  return {
    rows,
    errors: [
      ...errors.map(({ type, code, message, row = 0 }) => rowError(type, code, message, first + row)),
      ...short.map(({ row, cells }) =>
        rowError('FieldMismatch', 'TooFewFields', problems.cellCount(columns, cells.length), row),
      ),
    ],
    hasDecimalCommas: delimiter !== ',',
  };
}

function rowError(type: string, code: string, message: string, row: number): CatalogueError {
  return { row, type, code, message, remedy: remedies.parser[code] };
}

/** The separator that finds most columns of the catalogue in the header. */
function separatorOf(table: string): string {
  const found = SEPARATORS.map((delimiter) => {
    const [header = []] = Papa.parse<string[]>(table, { delimiter, newline: '\n', preview: 1 }).data;
    return { delimiter, columns: header.filter(columnOf).length };
  });
  return found.reduce((best, next) => (next.columns > best.columns ? next : best)).delimiter;
}
