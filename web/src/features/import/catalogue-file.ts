import { fieldErrors } from '@/api/errors';
import { t } from '@/i18n/en';
import { CATALOGUE_COLUMNS, type CatalogueColumn, type Cells, cellProblem } from '@/lib/catalogue';

/** One mistake in a file, in the shape that the parser gives its own, with its cell and its remedy. */
export interface CatalogueError {
  /** As a spreadsheet counts: the header is 1. Null of the whole file. */
  row: number | null;
  type: string;
  code: string;
  message: string;
  /** What is in the cell, where one cell is to blame. */
  cell?: { name: string; value: string };
  /** What to change in the file. */
  remedy?: string | undefined;
}

/** A file that was read. */
export interface CatalogueFile {
  /** Its columns in their order; the letters of their cells follow from it. */
  header: readonly string[];
  rows: readonly { row: number; cells: Cells }[];
  errors: readonly CatalogueError[];
}

export function fileError(code: string, message: string, remedy?: string): CatalogueError {
  return { row: null, type: 'InvalidValue', code, message, remedy };
}

/** A cell as a spreadsheet names it: `C5`. */
export function cellOf(header: readonly string[], column: string, row: number, value: string) {
  return { name: `${columnLetters(header.indexOf(column))}${row}`, value };
}

/** A to Z, then AA. */
function columnLetters(place: number): string {
  const last = String.fromCharCode(65 + (place % 26));
  return place < 26 ? last : columnLetters(Math.floor(place / 26) - 1) + last;
}

/** What to do about a cell that is not as its column wants it. */
export function cellRemedy(column: CatalogueColumn, value: string): string | undefined {
  const problem = cellProblem(column, value);
  return problem && t.catalogue.remedies[problem](column);
}

/** What the server found wrong with the rows, which it names as `[3].Density`; nothing when they are not to blame. */
export function serverErrors(error: unknown, { header, rows }: CatalogueFile): CatalogueError[] {
  return Object.entries(fieldErrors(error)).map(([field, text]) => {
    const [, place, name] = /^\[(\d+)\](?:\.(.+))?$/.exec(field) ?? [];
    const line = rows[Number(place)];
    const column = CATALOGUE_COLUMNS.find((column) => column === name);
    const value = column && line?.cells[column];
    return {
      row: line?.row ?? null,
      type: 'InvalidValue',
      code: 'InvalidValue',
      message: name ? `${name}: ${text}` : text,
      ...(line &&
        column &&
        value !== undefined && { cell: cellOf(header, column, line.row, value), remedy: cellRemedy(column, value) }),
    };
  });
}
