import { fieldErrors } from '@/api/errors';
import type { Cells } from '@/lib/catalogue';

/** One mistake in a file, in the shape that the parser gives its own. */
export interface CatalogueError {
  /** As a spreadsheet counts: the header is 1. Null of the whole file. */
  row: number | null;
  type: string;
  code: string;
  message: string;
}

/** A file that was read. */
export interface CatalogueFile {
  rows: readonly { row: number; cells: Cells }[];
  errors: readonly CatalogueError[];
}

export function invalidValue(row: number, message: string): CatalogueError {
  return { row, type: 'InvalidValue', code: 'InvalidValue', message };
}

export function fileError(code: string, message: string): CatalogueError {
  return { row: null, type: 'InvalidValue', code, message };
}

/** What the server found wrong with the rows, which it names as `[3].Density`; nothing when they are not to blame. */
export function serverErrors(error: unknown, { rows }: CatalogueFile): CatalogueError[] {
  return Object.entries(fieldErrors(error)).map(([field, text]) => {
    const [, place, column] = /^\[(\d+)\](?:\.(.+))?$/.exec(field) ?? [];
    const row = rows[Number(place)]?.row ?? null;
    return { row, type: 'InvalidValue', code: 'InvalidValue', message: column ? `${column}: ${text}` : text };
  });
}
