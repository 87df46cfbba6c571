import { type RefObject, useEffect, useRef } from 'react';

const ROWS = 'tbody tr, li';
const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled)';
const HEADINGS = 'h1, h2, h3, h4';

/** The element with the focus, and where it stands in the page. */
interface Place {
  element: Element;
  /** The rows among which its row was, and the row's position; undefined outside a list. */
  rows: Element | null | undefined;
  position: number;
  ancestors: Element[];
}

/**
 * Keeps the focus in the page: on the heading of a new page, and after the focused element was removed on the next row of its
 * list, or on the heading above it. A field that has taken the focus keeps it.
 */
export function useFocusInPage(main: RefObject<HTMLElement | null>, page: string): void {
  const place = useRef<Place>(undefined);
  const shown = useRef(page);
  /** Set from the opening of a page until its heading is shown. */
  const isNew = useRef(false);

  useEffect(() => {
    const area = main.current;
    if (!area) return undefined;
    const keep = () => {
      if (isNew.current) isNew.current = isAt(area) && !focusHeading(area);
      else if (place.current) restore(place.current);
    };
    const onFocus = ({ target }: FocusEvent) => {
      if (target instanceof Element && area.contains(target) && target !== area) place.current = placeOf(target, area);
    };
    const onPress = ({ target }: PointerEvent) => {
      // The focus is given up, not lost.
      if (target instanceof Element && !target.closest(FOCUSABLE)) place.current = undefined;
    };
    const observer = new MutationObserver(keep);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', onFocus);
    document.addEventListener('pointerdown', onPress);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', onFocus);
      document.removeEventListener('pointerdown', onPress);
    };
  }, [main]);

  useEffect(() => {
    if (shown.current === page || !main.current) return;
    shown.current = page;
    isNew.current = !focusHeading(main.current);
  }, [main, page]);
}

/** Whether nothing in the page has the focus. */
function isAt(area: HTMLElement): boolean {
  return document.activeElement === document.body || document.activeElement === area;
}

/** Returns whether the page has the focus in one of its parts. */
function focusHeading(area: HTMLElement): boolean {
  const focused = document.activeElement;
  if (focused !== area && area.contains(focused) && focused?.matches('input, textarea, select, a, h1')) return true;
  const heading = area.querySelector<HTMLElement>('h1');
  focus(heading ?? area);
  return heading !== null;
}

function placeOf(element: Element, area: Element): Place {
  const row = element.closest(ROWS);
  const rows = row?.parentElement;
  const ancestors: Element[] = [];
  for (let at: Element | null = element; at && at !== area.parentElement; at = at.parentElement) ancestors.push(at);
  return { element, rows, position: row && rows ? [...rows.children].indexOf(row) : 0, ancestors };
}

function restore({ element, rows, position, ancestors }: Place): void {
  if (element.isConnected || document.activeElement !== document.body) return;
  const next = rows?.isConnected ? (rows.children[position] ?? rows.lastElementChild) : undefined;
  const control = next?.querySelector<HTMLElement>(FOCUSABLE);
  if (control) {
    focus(control);
    return;
  }
  const block = ancestors.find((ancestor) => ancestor.isConnected && ancestor.querySelector(HEADINGS));
  focus(block?.querySelector<HTMLElement>(HEADINGS));
}

function focus(element: HTMLElement | null | undefined): void {
  if (!element) return;
  if (!element.matches(FOCUSABLE)) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
