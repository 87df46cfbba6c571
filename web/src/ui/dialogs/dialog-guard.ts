import { createContext, use, useEffect, useRef } from 'react';

/** Asks before the dialog closes; `close` closes it without a question. */
type Ask = (close: () => void) => void;

/** What a part of a dialog sets in it. Undefined outside of dialogs. */
export const DialogParts = createContext<
  { guard: (ask: Ask | undefined) => void; cover: (isCovered: boolean) => void } | undefined
>(undefined);

/** The number of active guards in dialogs. */
let guards = 0;

/** Whether a dialog has unsaved input. Its question also stands for the page below. */
export function isDialogGuarded(): boolean {
  return guards > 0;
}

/** Asks before the surrounding dialog closes by Escape, its cross or a click beside it. Returns whether there is a dialog. */
export function useDialogGuard(active: boolean, ask: Ask): boolean {
  const dialog = use(DialogParts);
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    if (!dialog || !active) return;
    dialog.guard((close) => latest.current(close));
    guards += 1;
    return () => {
      dialog.guard(undefined);
      guards -= 1;
    };
  }, [dialog, active]);
  return dialog !== undefined;
}
