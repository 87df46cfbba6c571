import type { ApiError } from './errors';

/** How long a submission without an answer keeps its key. Later, the same input is a new decision of the person. */
const UNANSWERED_MS = 15 * 60_000;
const KEY_BYTES = 16;
const PREFIX = 'submission:';

/** A submission without an answer. */
interface Submission {
  key: string;
  startedAt: number;
}

/**
 * The key with which the server recognises a repeated write. A user who submits the same again because there was no
 * response repeats the key, so that the write is carried out once and gets the first response. The tab stores the key, because
 * a phone may discard the page, and a user may reload it. The draft of the form restores the input.
 */
export function submissionKey(write: string): string {
  const now = Date.now();
  for (const name of Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX))) {
    const stored = read(name);
    if (!stored || now - stored.startedAt >= UNANSWERED_MS) sessionStorage.removeItem(name);
  }
  const name = nameOf(write);
  const submission = read(name) ?? { key: randomKey(), startedAt: now };
  try {
    sessionStorage.setItem(name, JSON.stringify(submission));
  } catch {
    // A full storage must not prevent the write.
  }
  return submission.key;
}

/** The next submission of the same is a new one. */
export function finishSubmission(write: string): void {
  sessionStorage.removeItem(nameOf(write));
}

/** Whether the write has ended: neither is it under way, nor could it succeed if it is repeated as it is. */
export function isFinal({ status, code }: ApiError): boolean {
  return status < 500 && ![0, 401, 429].includes(status) && code !== 'in_progress';
}

function read(name: string): Submission | undefined {
  try {
    const { key, startedAt } = JSON.parse(sessionStorage.getItem(name) ?? '{}') ?? {};
    return typeof key === 'string' && typeof startedAt === 'number' ? { key, startedAt } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The name of a write in the storage: a hash, because a write can contain a password. If two writes had the same hash, the server
 * would refuse the second one. `crypto.subtle` is not available on plain http.
 */
function nameOf(write: string): string {
  const hashes = [0x811c9dc5, 0x2f0b4a27].map((hash) => fnv1a(write, hash));
  return PREFIX + hashes.map((hash) => hash.toString(16)).join('');
}

/** The 32-bit FNV-1a hash of a text from this offset. */
function fnv1a(text: string, offset: number): number {
  let hash = offset;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
