/** The clock of the server, by which times in its responses are compared. */

/** How far the clock of the server is ahead of that of this device; the `Date` of a response has whole seconds. */
let aheadMs = 0;

/** Reads the time in a response that has just arrived. */
export function noteServerTime({ headers }: Response): void {
  const time = Date.parse(headers.get('date') ?? '');
  if (!Number.isNaN(time)) aheadMs = time - Date.now();
}

/** The server's time at this time of the device. */
export function serverTime(at: Date): Date {
  return new Date(at.getTime() + aheadMs);
}

/** Assumes that both clocks agree, for tests. */
export function forgetServerTime(): void {
  aheadMs = 0;
}
