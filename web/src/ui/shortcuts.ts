import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/**
 * Whether single letters and signs are keys of their own. Whoever speaks to the machine or hits keys by accident can turn
 * that off (WCAG 2.1.4); this browser remembers it.
 */
export function useShortcuts(): [on: boolean, set: (on: boolean) => void] {
  const [on, set] = useLocalStorage({ key: 'shortcuts', defaultValue: true, getInitialValueInEffect: false });
  return [on !== false, set];
}

/** Calls `press` with every key that is meant for the page; it answers whether it took the key. */
export function useKeys(press: (key: string) => boolean): void {
  const latest = useRef(press);
  useEffect(() => {
    latest.current = press;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      if (latest.current(event.key)) event.preventDefault();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}

/** Whoever types, or has opened something over the page, does not mean the page. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]')) return true;
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable="true"]') !== null;
}
