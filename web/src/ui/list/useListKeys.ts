import { type RefObject, useRef } from 'react';
import { useKeys, useShortcuts } from '@/ui/dialogs/shortcuts';

/** Marks the link that opens a row. */
export const ROW_LINK = { 'data-row-link': true } as const;

const LETTERS: Readonly<Record<string, number>> = { j: 1, k: -1 };
const ARROWS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * The keys of a list: `/` goes to the search field, j and k move the focus from row to row, and so do the arrows once a
 * row has it; before that they scroll. Enter opens the focused link natively, and x selects its row where rows can be selected.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, search?: RefObject<HTMLInputElement | null>): void {
  const [shortcuts] = useShortcuts();
  const last = useRef<{ link: HTMLElement; at: number }>(undefined);

  const move = (step: number, links: HTMLElement[]) => {
    const at = links.findIndex(isInItsRow);
    const isLost = document.activeElement === document.body && last.current?.link.isConnected === false;
    const wanted = placeOf(step, at, isLost ? last.current?.at : undefined, links.length);
    const place = Math.min(Math.max(wanted, 0), links.length - 1);
    const link = links[place];
    if (!link) return;
    link.focus();
    last.current = { link, at: place };
  };

  useKeys((key) => {
    const links = rowLinks(list.current);
    const isInRow = links.some(isInItsRow);
    const step = (shortcuts ? LETTERS[key] : undefined) ?? (isInRow ? ARROWS[key] : undefined);
    if (step && links.length > 0) move(step, links);
    else if (key === '/' && shortcuts && search) search.current?.focus();
    else if (key === 'x' && shortcuts && isInRow) select(links.find(isInItsRow));
    else return false;
    return true;
  });
}

const rowOf = (link: Element) => link.closest('tr, li');

/** Whether the link or the box of its row has the focus. */
function isInItsRow(link: Element): boolean {
  const focused = document.activeElement;
  return focused === link || (focused?.matches('input') === true && rowOf(link)?.contains(focused) === true);
}

function select(link: Element | undefined): void {
  if (link) rowOf(link)?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
}

/** Moves from a row to its neighbour, or from the position of a removed row, or from the end of the list. */
function placeOf(step: number, at: number, gap: number | undefined, count: number): number {
  if (at >= 0) return at + step;
  if (gap !== undefined) return step > 0 ? gap : gap - 1;
  return step > 0 ? 0 : count - 1;
}

/** The row links in order. */
export function rowLinks(list: HTMLElement | null): HTMLAnchorElement[] {
  return [...(list?.querySelectorAll<HTMLAnchorElement>('a[data-row-link]') ?? [])];
}
