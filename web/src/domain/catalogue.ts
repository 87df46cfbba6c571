import { invisibleIn } from './one-line';

/** The columns of the fragrance catalogue, in their order. */
export const CATALOGUE_COLUMNS = [
  'Fragrance',
  'SKU',
  'Density',
  'AQ200w500',
  'AQ300w500',
  'AQ500w500',
  'AQ800w1250',
  'AQ800w2500',
  'AQ1200w1250',
  'AQ1200w2500',
] as const;

export type CatalogueColumn = (typeof CATALOGUE_COLUMNS)[number];
/** The text of each cell. */
export type Cells = Record<CatalogueColumn, string>;

/** The text columns; all others are numbers. */
const TEXTS: readonly CatalogueColumn[] = ['Fragrance', 'SKU'];
const REQUIRED: readonly CatalogueColumn[] = ['Fragrance', 'Density'];
const LONGEST_TEXT = 255;
const NUMBER = /^(?=.{1,20}$)(\d+\.?\d*|\.\d+)$/;

/** Whether a column contains texts instead of numbers. */
export function isText(column: CatalogueColumn): boolean {
  return TEXTS.includes(column);
}

export const LONGEST_CELL = LONGEST_TEXT;
export type CellProblem = 'required' | 'tooLong' | 'oneLine' | 'invisible' | 'number';

/** The error of a cell, if any. The server decides; this check reports errors before anything is sent. */
export function cellProblem(column: CatalogueColumn, cell: string): CellProblem | undefined {
  const text = cell.trim();
  if (text === '') return REQUIRED.includes(column) ? 'required' : undefined;
  if (!isText(column)) return NUMBER.test(text) ? undefined : 'number';
  if ([...text].length > LONGEST_TEXT) return 'tooLong';
  const invisible = invisibleIn(text);
  if (invisible === undefined) return undefined;
  return invisible.isControl ? 'oneLine' : 'invisible';
}
