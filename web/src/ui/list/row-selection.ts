import type { Selection } from './useSelection';

/** Rows that can be chosen. */
export interface RowSelection<Row> {
  chosen: Selection;
  /** The row in a few words, for who does not see it. */
  nameOf: (row: Row) => string;
  /** What is chosen stays so for now. */
  isFixed?: boolean;
  /** Chooses all rows that match, on whichever page. */
  chooseMatching: () => void;
  isChoosing: boolean;
  /** Set where nothing else on the page clears the selection. */
  clear?: (() => void) | undefined;
  /** What happens, or happened, to the selection when the filters change. */
  note?: string | undefined;
}

/** How much of a page is chosen. */
export function chosenOf(keys: readonly string[], chosen: Selection): 'none' | 'some' | 'all' {
  const count = keys.filter(chosen.has).length;
  if (count === 0) return 'none';
  return count === keys.length ? 'all' : 'some';
}
