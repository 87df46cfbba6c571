import { LoadFailure } from '@/browser/release';
import { ApiError, isStatus } from './errors';

const logged = new WeakSet<Error>();

/** Logs a failed call that the page can handle. */
export function logFailedCall(call: string, error: unknown): void {
  if (isNew(error)) console.warn(`${call} failed:`, ...details(error));
}

/** Logs an unexpected error with its cause. */
export function logUnexpectedError(error: unknown): void {
  // The page says so.
  if (isStatus(error, 403)) return;
  // The page offers to load the part again.
  if (error instanceof LoadFailure) console.warn(error.message, error.cause);
  else if (isNew(error)) console.error('Unexpected error:', ...details(error));
}

/** The query reports a failed read, and React reports it again if the page requires it. */
function isNew(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (logged.has(error)) return false;
  logged.add(error);
  return true;
}

/** Omits the text of a server's response, which may repeat user input. */
function details(error: unknown): unknown[] {
  if (!(error instanceof ApiError)) return [error];
  const answer = `${error.status} ${error.code}`;
  return error.cause === undefined ? [answer] : [answer, error.cause];
}
