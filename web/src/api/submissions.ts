import type { ApiError } from './errors';

/** How long a submission without an answer keeps its key. Later, the same input is a new decision of the person. */
const UNANSWERED_MS = 15 * 60_000;
const KEY_BYTES = 16;
const PREFIX = 'submission:';

/** What a person submits. */
interface Write {
  /** Method and address. */
  target: string;
  /** The address of what is written. Another write to it, or to a part of it, is another decision. */
  resource: string;
  /** Everything that is sent, and what the person saw when deciding. */
  input: string;
  /** The write of a form with a draft, which can be submitted again after the page was loaded again. */
  hasDraft: boolean;
}

/** A press of a button, until there is an answer. */
interface Submission extends Pick<Write, 'target' | 'resource'> {
  /** The key by which the server recognises the repeated write. */
  key: string;
  startedAt: number;
  /** Undefined after the page was loaded again: only the server can compare it then. */
  input: string | undefined;
}

/** The submissions without an answer. Their input may contain passwords, so it is stored nowhere. */
const unanswered = new Set<Submission>();

/**
 * The submission of this write. A user who presses the button again because there was no answer, repeats the key, so that the write
 * is carried out once and gets the first answer. The key is dropped as soon as anything else is written to the resource.
 */
export function startSubmission({ target, resource, input, hasDraft }: Write): Submission {
  restore();
  const now = Date.now();
  const isRepeated = (one: Submission) =>
    one.target === target && (one.input === input || one.input === undefined) && now - one.startedAt < UNANSWERED_MS;
  const repeated = [...unanswered].find(isRepeated);
  for (const other of unanswered) {
    if (other !== repeated && overlap(other.resource, resource)) finishSubmission(other);
  }
  if (repeated) return repeated;
  const submission = { key: randomKey(), startedAt: now, target, resource, input };
  unanswered.add(submission);
  if (hasDraft) store(submission);
  return submission;
}

/** Drops the key. The next submission of the same input is a new one. */
export function finishSubmission(submission: Submission): void {
  unanswered.delete(submission);
  sessionStorage.removeItem(PREFIX + submission.key);
}

/** Whether the submission is from before the page was loaded again, with other input. */
export function isOutdated({ input }: Submission, { code }: ApiError): boolean {
  return input === undefined && code === 'key_reused';
}

/** Whether the write has ended: neither is it under way, nor could it succeed if it is repeated as it is. */
export function isFinal({ status, code }: ApiError): boolean {
  return status < 500 && ![0, 401, 429].includes(status) && code !== 'in_progress';
}

function overlap(one: string, other: string): boolean {
  return `${one}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${one}/`);
}

/** A phone may discard the page, and a user may reload it. The key is stored without the input, which the draft restores. */
function store({ input: _, ...submission }: Submission): void {
  try {
    sessionStorage.setItem(PREFIX + submission.key, JSON.stringify(submission));
  } catch {
    // A full storage must not prevent the write.
  }
}

/** Takes up the stored submissions of the page before it was loaded again. */
function restore(): void {
  for (const name of Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX))) {
    const key = name.slice(PREFIX.length);
    if ([...unanswered].some((known) => known.key === key)) continue;
    const stored = read(name);
    if (stored) unanswered.add({ ...stored, input: undefined });
    else sessionStorage.removeItem(name);
  }
}

function read(name: string): Omit<Submission, 'input'> | undefined {
  try {
    const { key, startedAt, target, resource } = JSON.parse(sessionStorage.getItem(name) ?? '{}') ?? {};
    const isComplete = [key, target, resource].every((text) => typeof text === 'string');
    return isComplete && typeof startedAt === 'number' ? { key, startedAt, target, resource } : undefined;
  } catch {
    return undefined;
  }
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
