import { ApiError } from './errors';

const logged = new WeakSet<Error>();

/** Logs a failed call that the page survives. */
export function logFailedCall(call: string, error: unknown): void {
  if (isNew(error)) console.warn(`${call} failed:`, ...details(error));
}

/** Logs an error that no code expected, with its cause. */
export function logUnexpectedError(error: unknown): void {
  if (isNew(error)) console.error('Unexpected error:', ...details(error));
}

/** A failed read is reported by the query, and again by React when a page cannot do without it. */
function isNew(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (logged.has(error)) return false;
  logged.add(error);
  return true;
}

/** Without the text of a server's answer, which may repeat what somebody typed. */
function details(error: unknown): unknown[] {
  if (!(error instanceof ApiError)) return [error];
  const answer = `${error.status} ${error.code}`;
  return error.cause === undefined ? [answer] : [answer, error.cause];
}
