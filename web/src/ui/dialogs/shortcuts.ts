import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/**
 * Whether single-key shortcuts are on. Users of speech input, or who press keys by accident, can turn them off (WCAG 2.1.4); the
 * browser remembers the choice.
 */
export function useShortcuts(): [on: boolean, set: (on: boolean) => void] {
  const [on, set] = useLocalStorage({ key: 'shortcuts', defaultValue: true, getInitialValueInEffect: false });
  return [on !== false, set];
}

/** Calls `press` with every key that is meant for the page; `press` returns whether it handled the key. */
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

/** Whether the key is meant for an input, or for something that is open over the page. */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector('[role="dialog"]')) return true;
  return (
    target instanceof Element &&
    target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable="true"]') !== null
  );
}
