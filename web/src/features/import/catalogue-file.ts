import { fieldErrors } from '@/api/errors';
import { t } from '@/i18n/en';
import { CATALOGUE_COLUMNS, type CatalogueColumn, type Cells, cellProblem } from '@/lib/catalogue';

/** An error in a file, in the parser's format, with its cell and remedy. */
export interface CatalogueError {
  /** The spreadsheet row; the header is row 1. Null for the whole file. */
  row: number | null;
  type: string;
  code: string;
  message: string;
  /** The value of the cell, if a single cell is wrong. */
  cell?: { name: string; value: string };
  /** How to correct the file. */
  remedy?: string | undefined;
}

/** A parsed file. */
export interface CatalogueFile {
  /** The columns in order, which determines the letters of their cells. */
  header: readonly string[];
  rows: readonly { row: number; cells: Cells }[];
  errors: readonly CatalogueError[];
}

export function fileError(code: string, message: string, remedy?: string): CatalogueError {
  return { row: null, type: 'InvalidValue', code, message, remedy };
}

/** The spreadsheet name of a cell: `C5`. */
export function cellOf(header: readonly string[], column: string, row: number, value: string) {
  return { name: `${columnLetters(header.indexOf(column))}${row}`, value };
}

/** The letters of a spreadsheet column: A to Z, then AA. */
function columnLetters(place: number): string {
  const last = String.fromCharCode(65 + (place % 26));
  return place < 26 ? last : columnLetters(Math.floor(place / 26) - 1) + last;
}

/** The remedy for a cell that is invalid in its column. */
export function cellRemedy(column: CatalogueColumn, value: string): string | undefined {
  const problem = cellProblem(column, value);
  return problem && t.catalogue.remedies[problem](column);
}

/** The server's errors of rows, which it names as `[3].Density`; empty if no row is wrong. */
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
