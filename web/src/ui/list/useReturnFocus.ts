import { type RefObject, useEffect } from 'react';
import { usePreviousPage } from '@/ui/hooks/previousPage';
import { rowLinks } from './useListKeys';

/** Focuses the row whose page the user returns from, unless something else has the focus. */
export function useReturnFocus(list: RefObject<HTMLElement | null>, ready: boolean): void {
  const previousPage = usePreviousPage();
  useEffect(() => {
    const focused = document.activeElement;
    if (!ready || (focused !== document.body && !focused?.matches('main, h1'))) return;
    const link = rowLinks(list.current).find((link) => link.pathname === previousPage);
    // The scroll position is restored separately.
    link?.focus({ preventScroll: true });
  }, [list, previousPage, ready]);
}
