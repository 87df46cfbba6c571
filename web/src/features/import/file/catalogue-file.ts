import { fieldErrors } from '@/api/errors';
import { CATALOGUE_COLUMNS, type CatalogueColumn, type Cells, cellProblem } from '@/domain/catalogue';
import { t } from '@/i18n/en';

/** The server's limit, many times the size of the largest catalogue. */
export const MAX_BYTES = 4 * 1024 * 1024;
export const MOST_ROWS = 10_000;

/** An error in a file, in the parser's format, with its cell and remedy. */
export interface CatalogueError {
  /** The spreadsheet row; the first line of the file is row 1. Null for the whole file. */
  row: number | null;
  type: string;
  code: string;
  message: string;
  /** The value of the cell, if a single cell is wrong. */
  cell?: { name: string; value: string };
  /** How to correct the file. */
  remedy?: string | undefined;
}

/** An SKU that a spreadsheet probably changed. It does not block the import. */
export interface SkuWarning {
  row: number;
  fragrance: string;
  /** The SKU in the catalogue; undefined for a new fragrance, or if the catalogue could not be read. */
  before: string | undefined;
  after: string;
  reason: string;
}

/** A parsed file. */
export interface CatalogueFile {
  /** The columns in order, which determines the letters of their cells. */
  header: readonly string[];
  rows: readonly { row: number; cells: Cells }[];
  errors: readonly CatalogueError[];
  warnings: readonly SkuWarning[];
}

/** A file that is not UTF-8. The user decides whether it is Windows-1252. */
export interface EncodingQuestion {
  /** Names as they would be read. */
  samples: readonly string[];
}

/** The rows with text, from a text file or a workbook. The first one is the header. */
export interface Sheet {
  rows: readonly SheetRow[];
  errors: readonly CatalogueError[];
  hasDecimalCommas: boolean;
}

export interface SheetRow {
  /** The spreadsheet row. */
  row: number;
  cells: readonly string[];
  /** By the places of the cells of a workbook that have no usable value. */
  faults?: ReadonlyMap<number, CellFault>;
}

export type CellFault = 'date' | 'formula' | 'formulaError';

export function refused(error: CatalogueError): CatalogueFile {
  return { header: [], rows: [], errors: [error], warnings: [] };
}

export function fileError(code: string, message: string, remedy?: string): CatalogueError {
  return { row: null, type: 'InvalidValue', code, message, remedy };
}

/** The spreadsheet name of a cell: `C5`. */
export function cellOf(header: readonly string[], column: string, row: number, value: string) {
  return cellAt(header.indexOf(column), row, value);
}

export function cellAt(place: number, row: number, value: string) {
  return { name: `${columnLetters(place)}${row}`, value };
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
