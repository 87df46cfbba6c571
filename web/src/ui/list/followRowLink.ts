import type { MouseEvent } from 'react';

const MIDDLE = 1;

/** The handlers of a row that opens. The middle button is no click. */
export const OPENING_ROW = { onClick: followRowLink, onAuxClick: followRowLink } as const;
/** The handlers of a row that can be selected. */
export const SELECTABLE_ROW = { onClick: chooseRow } as const;

/**
 * Makes a click anywhere in the row follow its row link: in a new tab with Ctrl, ⌘ or the middle button. Text can still be
 * selected.
 */
function followRowLink(event: MouseEvent<HTMLElement>): void {
  const control = controlOf(event, 'a[data-row-link]');
  if (event.ctrlKey || event.metaKey || event.button === MIDDLE) {
    if (control instanceof HTMLAnchorElement) window.open(control.href, '_blank', 'noopener');
  } else if (event.button === 0) control?.click();
}

/** Makes a click anywhere in the row select it. */
function chooseRow(event: MouseEvent<HTMLElement>): void {
  controlOf(event, 'input[type="checkbox"]')?.click();
}

/** The control of the row that a click means, unless it is on another control or ends a selection of text. */
function controlOf({ target, currentTarget }: MouseEvent<HTMLElement>, control: string): HTMLElement | null {
  const isOnControl = target instanceof Element && target.closest('a, button, label') !== null;
  if (isOnControl || getSelection()?.type === 'Range') return null;
  return currentTarget.querySelector<HTMLElement>(control);
}
