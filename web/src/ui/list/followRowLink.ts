import type { MouseEvent } from 'react';

/** For a mouse the whole row opens what its row link opens; text in it can still be selected. */
export function followRowLink({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  const onControl = target instanceof Element && target.closest('a, button') !== null;
  if (onControl || getSelection()?.type === 'Range') return;
  currentTarget.querySelector<HTMLAnchorElement>('a[data-row-link]')?.click();
}
