/** A page without input for this long is not in use. */
const ATTENDED_MS = 60_000;
/** Hiding or showing the page counts as input, too. */
const INPUTS = ['pointerdown', 'touchstart', 'keydown', 'wheel', 'visibilitychange'] as const;

let lastInput = Date.now();

/** Watches for input at the page. Loading the page counts as input. */
export function watchAttendance(page: EventTarget): void {
  const onInput = () => {
    lastInput = Date.now();
  };
  for (const input of INPUTS) page.addEventListener(input, onInput, { capture: true, passive: true });
}

/** Whether a person uses the page. Requests of an unused page must not keep the session alive. */
export function isAttended(): boolean {
  return Date.now() - lastInput < ATTENDED_MS;
}
