import { type RefObject, useEffect } from 'react';

/** Focuses the first field of a part that loads after its dialog has opened. */
export function useLateFocus(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const dialog = field.current?.closest('[role="dialog"]');
    if (dialog?.contains(document.activeElement)) field.current?.focus();
  }, [field]);
}
