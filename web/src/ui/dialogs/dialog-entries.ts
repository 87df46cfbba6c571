import { createContext, use, useEffect, useRef, useState } from 'react';

/** Entries of the browser's history for what covers the page, so that Back closes it. */
export interface DialogEntries {
  /** Adds an entry. `onBack` is called when the user goes back from it; the returned function removes it. */
  add: (onBack: () => void) => () => void;
}

/** Provided by the application; without it Back leaves the page. */
export const DialogHistory = createContext<DialogEntries | undefined>(undefined);

/** Lets Back close what covers the page while it is open. What stays open, because it asks first, gets another entry. */
export function useBackToClose(opened: boolean, onClose: () => void): void {
  const entries = use(DialogHistory);
  const [attempts, setAttempts] = useState(0);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt uses up an entry
  useEffect(() => {
    if (!opened) return undefined;
    return entries?.add(() => {
      close.current();
      setAttempts((count) => count + 1);
    });
  }, [entries, opened, attempts]);
}
