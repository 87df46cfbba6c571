import { type RefObject, useEffect } from 'react';

/** Marks the link that opens its row. */
export const ROW_LINK = { 'data-row-link': true } as const;

const STEPS: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1 };

/**
 * The keys of a list: `/` goes to the search field, j and k move the focus from row to row, and so do the arrows once a
 * row has it; before that they scroll. Enter opens what has the focus by itself.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, search: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      if (event.key === '/') search.current?.focus();
      else if (!moveBy(STEPS[event.key], event.key.startsWith('Arrow'), list.current)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [list, search]);
}

function moveBy(step: number | undefined, fromRowOnly: boolean, list: HTMLElement | null): boolean {
  if (!step) return false;
  const links = rowLinks(list);
  const at = links.findIndex((link) => link.matches(':focus'));
  if (at < 0 && fromRowOnly) return false;
  const next = at < 0 ? links.at(step > 0 ? 0 : -1) : links[at + step];
  next?.focus();
  return links.length > 0;
}

/** The links that open the rows, in order. */
export function rowLinks(list: HTMLElement | null): HTMLAnchorElement[] {
  return [...(list?.querySelectorAll<HTMLAnchorElement>('a[data-row-link]') ?? [])];
}

/** Whoever types, or has opened something over the page, means no list. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]')) return true;
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}
