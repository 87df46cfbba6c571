import { type RefObject, useEffect } from 'react';

/** For the first field of a dialog's part that comes later: the dialog that has the focus looked for its field before. */
export function useLateFocus(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const dialog = field.current?.closest('[role="dialog"]');
    if (dialog?.contains(document.activeElement)) field.current?.focus();
  }, [field]);
}
