import type { Selection } from './useSelection';

/** The selection of rows. */
export interface RowSelection<Row> {
  chosen: Selection;
  /** An accessible name of the row. */
  nameOf: (row: Row) => string;
  /** The selection cannot be changed for now. */
  isFixed?: boolean;
  /** Selects all matching rows on all pages. */
  chooseMatching: () => void;
  isChoosing: boolean;
  /** Set if nothing else on the page clears the selection. */
  clear?: (() => void) | undefined;
  /** What happens to the selection when the filters change. */
  note?: string | undefined;
}

/** How much of a page is selected. */
export function chosenOf(keys: readonly string[], chosen: Selection): 'none' | 'some' | 'all' {
  const count = keys.filter(chosen.has).length;
  if (count === 0) return 'none';
  return count === keys.length ? 'all' : 'some';
}
