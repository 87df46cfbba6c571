import type { MouseEvent } from 'react';

/** Makes a click anywhere in the row follow its row link; text can still be selected. */
export function followRowLink(event: MouseEvent<HTMLElement>): void {
  clickInRow(event, 'a[data-row-link]');
}

/** Makes a click anywhere in the row select it. */
export function chooseRow(event: MouseEvent<HTMLElement>): void {
  clickInRow(event, 'input[type="checkbox"]');
}

function clickInRow({ target, currentTarget }: MouseEvent<HTMLElement>, control: string): void {
  const onControl = target instanceof Element && target.closest('a, button, label') !== null;
  if (onControl || getSelection()?.type === 'Range') return;
  currentTarget.querySelector<HTMLElement>(control)?.click();
}
