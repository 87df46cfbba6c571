import Papa from 'papaparse';
import { t } from '@/i18n/en';
import { CATALOGUE_COLUMNS, type Cells, cellProblem, LONGEST_CELL } from '@/lib/catalogue';
import { type CatalogueError, type CatalogueFile, fileError, invalidValue } from './catalogue-file';

/** Many times what the largest catalogue takes, and what the server takes. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_ROWS = 10_000;
const LEADING_EMPTY_LINES = /^(?:[^\S\n]*\n)*/;

type Parsed = Papa.ParseResult<Record<string, string>>;

/** The catalogue as a file that can be read in again unchanged. Names are left as they are: no guard against formulas. */
export function writeCatalogue(rows: readonly Partial<Cells>[]): string {
  const data = rows.map((row) => CATALOGUE_COLUMNS.map((column) => row[column] ?? ''));
  return Papa.unparse({ fields: [...CATALOGUE_COLUMNS], data });
}

/** What stands in a file, and all that is wrong with it. */
export async function readCatalogue(file: Blob): Promise<CatalogueFile> {
  if (file.size > MOST_BYTES) return refused('FileTooLarge', t.catalogue.problems.tooLarge(MOST_BYTES / 1024 / 1024));
  const text = decoded(await file.arrayBuffer());
  return text === undefined ? refused('NotUtf8', t.catalogue.problems.notUtf8) : parse(text);
}

/** Undefined for what is not UTF-8: it would come in with other letters than it has. */
function decoded(bytes: ArrayBuffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(code: string, message: string): CatalogueFile {
  return { rows: [], errors: [fileError(code, message)] };
}

function parse(text: string): CatalogueFile {
  const [leading = ''] = LEADING_EMPTY_LINES.exec(text) ?? [];
  const header = leading.split('\n').length;
  // Empty lines are left out here: the parser would number the rows without them.
  const options = { header: true, transformHeader: (name: string) => name.trim() } as const;
  const parsed: Parsed = Papa.parse(text.slice(leading.length), options);
  const lines = parsed.data.map((cells, place) => ({ cells, row: header + 1 + place })).filter(hasText);
  if (lines.length > MOST_ROWS) return refused('TooManyRows', t.catalogue.problems.tooManyRows(MOST_ROWS));
  const present = new Set(parsed.meta.fields ?? []);
  const columns = CATALOGUE_COLUMNS.filter((column) => present.has(column));
  const errors = [
    ...parserErrors(parsed, header),
    ...columnErrors(present, header),
    ...lines.flatMap(({ cells, row }) =>
      columns.flatMap((column) => {
        // The parser has said that the row is too short.
        const problem = cells[column] === undefined ? undefined : cellProblem(column, cells[column]);
        return problem ? [invalidValue(row, t.catalogue.problems[problem](column, LONGEST_CELL))] : [];
      }),
    ),
    ...duplicates(lines),
  ];
  if (lines.length === 0) errors.push(fileError('NoRows', t.catalogue.problems.noRows));
  errors.sort((one, other) => (one.row ?? 0) - (other.row ?? 0));
  return { rows: lines.map(({ cells, row }) => ({ row, cells: whole(cells) })), errors };
}

interface Line {
  cells: Record<string, string>;
  row: number;
}

/** Spreadsheets leave lines of nothing but commas. */
function hasText({ cells }: { cells: Record<string, unknown> }): boolean {
  return Object.values(cells)
    .flat()
    .some((cell) => typeof cell === 'string' && cell.trim() !== '');
}

/** In rows of a spreadsheet: about the number of cells the parser counts without the header, about quotes with it. */
function parserErrors({ data, errors }: Parsed, header: number): CatalogueError[] {
  return errors.flatMap(({ type, code, message, row }): CatalogueError[] => {
    if (row === undefined) return [{ row: null, type, code, message }];
    if (type !== 'FieldMismatch') return [{ row: header + row, type, code, message }];
    const cells = data[row];
    return cells && hasText({ cells }) ? [{ row: header + 1 + row, type, code, message }] : [];
  });
}

function columnErrors(present: ReadonlySet<string>, header: number): CatalogueError[] {
  const { missingColumn, unknownColumn } = t.catalogue.problems;
  const isKnown = (name: string) => CATALOGUE_COLUMNS.some((column) => column === name);
  return [
    ...CATALOGUE_COLUMNS.filter((column) => !present.has(column)).map((column) => ({
      row: header,
      type: 'MissingColumn',
      code: 'MissingColumn',
      message: missingColumn(column),
    })),
    ...[...present]
      .filter((name) => !isKnown(name))
      .map((name) => ({
        row: header,
        type: 'InvalidValue',
        code: 'UnknownColumn',
        message: unknownColumn(name),
      })),
  ];
}

function duplicates(lines: readonly Line[]): CatalogueError[] {
  const names = new Set<string>();
  return lines.flatMap(({ cells, row }) => {
    const name = (cells.Fragrance ?? '').trim();
    if (name === '' || !names.has(name)) {
      names.add(name);
      return [];
    }
    return [{ row, type: 'Duplicate', code: 'Duplicate', message: t.catalogue.problems.duplicate(name) }];
  });
}

function whole(cells: Record<string, string>): Cells {
  return Object.fromEntries(CATALOGUE_COLUMNS.map((column) => [column, (cells[column] ?? '').trim()])) as Cells;
}
