/** Without input for this long, nobody uses the page. */
const ATTENDED_MS = 60_000;
/** Whoever hides or shows the page is there as well. */
const INPUTS = ['pointerdown', 'touchstart', 'keydown', 'wheel', 'visibilitychange'] as const;

let lastInput = Date.now();

/** Watches for input at the page; loading it is the first. */
export function watchAttendance(page: EventTarget): void {
  const onInput = () => {
    lastInput = Date.now();
  };
  for (const input of INPUTS) page.addEventListener(input, onInput, { capture: true, passive: true });
}

/** Whether somebody uses the page. Requests that the page makes by itself must not keep the session alive. */
export function isAttended(): boolean {
  return Date.now() - lastInput < ATTENDED_MS;
}
