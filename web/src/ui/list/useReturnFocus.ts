import { type RefObject, useEffect } from 'react';
import { usePreviousPage } from '@/ui/previousPage';
import { rowLinks } from './useListKeys';

/** Gives the focus to the row whose page one comes from, unless something else has it by now. */
export function useReturnFocus(list: RefObject<HTMLElement | null>, ready: boolean): void {
  const cameFrom = usePreviousPage();
  useEffect(() => {
    const focused = document.activeElement;
    if (!ready || (focused !== document.body && focused?.tagName !== 'MAIN')) return;
    const link = rowLinks(list.current).find((link) => link.pathname === cameFrom);
    // Where the page is scrolled to is restored for itself.
    link?.focus({ preventScroll: true });
  }, [list, cameFrom, ready]);
}
