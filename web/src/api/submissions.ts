import type { ApiError } from './errors';

/** How long a submission without an answer keeps its key. Later, the same input is a new decision of the person. */
const UNANSWERED_MS = 15 * 60_000;
const KEY_BYTES = 16;

interface Submission {
  key: string;
  startedAt: number;
}

/** Submissions without an answer, by what they write. */
const unanswered = new Map<string, Submission>();

/**
 * The key with which the server recognises a repeated write. A user who submits the same again because there was no
 * response repeats the key, so that the write is carried out once and gets the first response.
 */
export function submissionKey(write: string): string {
  const now = Date.now();
  for (const [other, { startedAt }] of unanswered) {
    if (now - startedAt >= UNANSWERED_MS) unanswered.delete(other);
  }
  const submission = unanswered.get(write) ?? { key: randomKey(), startedAt: now };
  unanswered.set(write, submission);
  return submission.key;
}

/** The next submission of the same is a new one. */
export function finishSubmission(write: string): void {
  unanswered.delete(write);
}

/** Whether the write has ended: neither is it under way, nor could it succeed if it is repeated as it is. */
export function isFinal({ status, code }: ApiError): boolean {
  return status < 500 && ![0, 401, 429].includes(status) && code !== 'in_progress';
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
