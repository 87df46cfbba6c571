import Papa from 'papaparse';
import { t } from '@/i18n/en';
import { CATALOGUE_COLUMNS, type Cells, cellProblem, LONGEST_CELL } from '@/lib/catalogue';
import { sameName } from '@/lib/one-line';
import { type CatalogueError, type CatalogueFile, cellOf, cellRemedy, fileError } from './catalogue-file';

/** The server's limit, many times the size of the largest catalogue. */
const MAX_BYTES = 4 * 1024 * 1024;
const MOST_ROWS = 10_000;
const LEADING_EMPTY_LINES = /^(?:[^\S\n]*\n)*/;

const { problems, remedies } = t.catalogue;

type Parsed = Papa.ParseResult<Record<string, string>>;

/** The catalogue as a file that can be imported unchanged. Names are not escaped against formulas. */
export function writeCatalogue(rows: readonly Partial<Cells>[]): string {
  const data = rows.map((row) => CATALOGUE_COLUMNS.map((column) => row[column] ?? ''));
  return Papa.unparse({ fields: [...CATALOGUE_COLUMNS], data });
}

/** The contents and errors of a file. */
export async function readCatalogue(file: Blob): Promise<CatalogueFile> {
  if (file.size > MAX_BYTES) {
    return refused(fileError('FileTooLarge', problems.tooLarge(MAX_BYTES / 1024 / 1024), remedies.splitFile));
  }
  const text = decoded(await file.arrayBuffer());
  return text === undefined ? refused(fileError('NotUtf8', problems.notUtf8)) : parse(text);
}

/** Decodes UTF-8; undefined for other encodings, whose letters would be wrong. */
function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(error: CatalogueError): CatalogueFile {
  return { header: [], rows: [], errors: [error] };
}

function parse(text: string): CatalogueFile {
  const [leading = ''] = LEADING_EMPTY_LINES.exec(text) ?? [];
  const header = leading.split('\n').length;
  // Skips empty lines here, because the parser's own option would change the row numbers.
  const options = { header: true, transformHeader: (name: string) => name.trim() } as const;
  const parsed: Parsed = Papa.parse(text.slice(leading.length), options);
  const lines = parsed.data.map((cells, place) => ({ cells, row: header + 1 + place })).filter(hasText);
  if (lines.length > MOST_ROWS)
    return refused(fileError('TooManyRows', problems.tooManyRows(MOST_ROWS), remedies.splitFile));
  const names = parsed.meta.fields ?? [];
  const present = new Set(names);
  const columns = CATALOGUE_COLUMNS.filter((column) => present.has(column));
  const errors = [
    ...parserErrors(parsed, header),
    ...columnErrors(present, header),
    ...lines.flatMap(({ cells, row }) =>
      columns.flatMap((column) => {
        const value = cells[column];
        // The parser has already reported that the row is too short.
        const problem = value === undefined ? undefined : cellProblem(column, value);
        if (value === undefined || !problem) return [];
        const message = problems[problem](column, LONGEST_CELL);
        return [invalidValue(message, cellOf(names, column, row, value), row, cellRemedy(column, value))];
      }),
    ),
    ...duplicates(lines, names),
  ];
  if (lines.length === 0) errors.push(fileError('NoRows', problems.noRows, remedies.addRows));
  errors.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
  return { header: names, rows: lines.map(({ cells, row }) => ({ row, cells: whole(cells) })), errors };
}

function invalidValue(
  message: string,
  cell: NonNullable<CatalogueError['cell']>,
  row: number,
  remedy: string | undefined,
): CatalogueError {
  return { row, type: 'InvalidValue', code: 'InvalidValue', message, cell, remedy };
}

interface Line {
  cells: Record<string, string>;
  row: number;
}

/** Spreadsheets write empty rows as lines of commas. */
function hasText({ cells }: { cells: Record<string, unknown> }): boolean {
  return Object.values(cells)
    .flat()
    .some((cell) => typeof cell === 'string' && cell.trim() !== '');
}

/** The spreadsheet row of a parser error: cell count errors do not count the header, quote errors do. */
function parserErrors({ data, errors }: Parsed, header: number): CatalogueError[] {
  return errors.flatMap(({ type, code, message, row }): CatalogueError[] => {
    const error = { type, code, message, remedy: remedies.parser[code] };
    if (row === undefined) return [{ ...error, row: null }];
    if (type !== 'FieldMismatch') return [{ ...error, row: header + row }];
    const cells = data[row];
    return cells && hasText({ cells }) ? [{ ...error, row: header + 1 + row }] : [];
  });
}

function columnErrors(present: ReadonlySet<string>, header: number): CatalogueError[] {
  const isKnown = (name: string) => CATALOGUE_COLUMNS.some((column) => column === name);
  return [
    ...CATALOGUE_COLUMNS.filter((column) => !present.has(column)).map((column) => ({
      row: header,
      type: 'MissingColumn',
      code: 'MissingColumn',
      message: problems.missingColumn(column),
      remedy: remedies.missingColumn(column),
    })),
    ...[...present]
      .filter((name) => !isKnown(name))
      .map((name) => ({
        row: header,
        type: 'InvalidValue',
        code: 'UnknownColumn',
        message: problems.unknownColumn(name),
        cell: cellOf([...present], name, header, name),
        remedy: remedies.unknownColumn,
      })),
  ];
}

function duplicates(lines: readonly Line[], header: readonly string[]): CatalogueError[] {
  const rowsOfNames = new Map<string, number>();
  return lines.flatMap(({ cells, row }) => {
    const name = (cells.Fragrance ?? '').trim();
    const first = rowsOfNames.get(sameName(name));
    if (name === '' || first === undefined) {
      rowsOfNames.set(sameName(name), row);
      return [];
    }
    const cell = cellOf(header, 'Fragrance', row, name);
    const remedy = remedies.duplicate(first);
    return [{ row, type: 'Duplicate', code: 'Duplicate', message: problems.duplicate(name), cell, remedy }];
  });
}

function whole(cells: Record<string, string>): Cells {
  return Object.fromEntries(CATALOGUE_COLUMNS.map((column) => [column, (cells[column] ?? '').trim()])) as Cells;
}
