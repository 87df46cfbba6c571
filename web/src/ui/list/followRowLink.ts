import type { MouseEvent } from 'react';

/** For a mouse the whole row opens what its row link opens; text in it can still be selected. */
export function followRowLink(event: MouseEvent<HTMLElement>): void {
  clickInRow(event, 'a[data-row-link]');
}

/** The same of a row that is to be chosen. */
export function chooseRow(event: MouseEvent<HTMLElement>): void {
  clickInRow(event, 'input[type="checkbox"]');
}

function clickInRow({ target, currentTarget }: MouseEvent<HTMLElement>, control: string): void {
  const onControl = target instanceof Element && target.closest('a, button, label') !== null;
  if (onControl || getSelection()?.type === 'Range') return;
  currentTarget.querySelector<HTMLElement>(control)?.click();
}
