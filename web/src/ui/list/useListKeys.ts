import type { RefObject } from 'react';
import { useKeys, useShortcuts } from '@/ui/shortcuts';

/** Marks the link that opens its row. */
export const ROW_LINK = { 'data-row-link': true } as const;

const LETTERS: Readonly<Record<string, number>> = { j: 1, k: -1 };
const ARROWS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/**
 * The keys of a list: `/` goes to the search field, j and k move the focus from row to row, and so do the arrows once a
 * row has it; before that they scroll. Enter opens what has the focus by itself.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, search: RefObject<HTMLInputElement | null>): void {
  const [shortcuts] = useShortcuts();
  useKeys((key) => {
    const links = rowLinks(list.current);
    const at = links.findIndex((link) => link.matches(':focus'));
    const step = (shortcuts ? LETTERS[key] : undefined) ?? (at >= 0 ? ARROWS[key] : undefined);
    if (step && links.length > 0) {
      const next = at < 0 ? links.at(step > 0 ? 0 : -1) : links[at + step];
      next?.focus();
      return true;
    }
    if (key !== '/' || !shortcuts) return false;
    search.current?.focus();
    return true;
  });
}

/** The links that open the rows, in order. */
export function rowLinks(list: HTMLElement | null): HTMLAnchorElement[] {
  return [...(list?.querySelectorAll<HTMLAnchorElement>('a[data-row-link]') ?? [])];
}
