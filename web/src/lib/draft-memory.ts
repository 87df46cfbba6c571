/** Unsaved form values, kept while the tab is open and until sign-out. */

import { changedValues } from './changed-values';

const PREFIX = 'draft:';

type Values = Record<string, string>;

/** Stores the typed values with the initial ones; equal values are not a draft. */
export function keepDraft(name: string, from: Values, values: Values): void {
  if (!differs(from, values)) {
    forgetDraft(name);
    return;
  }
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify({ from, values }));
  } catch {
    // A full storage must not prevent typing.
  }
}

/**
 * The current values with the draft's changed fields. Changes that others saved since are kept in all other fields.
 */
export function readDraft<V extends Values>(name: string, present: V): V | undefined {
  const { from, values } = parse(sessionStorage.getItem(PREFIX + name));
  if (!isValues(from, present) || !isValues(values, present)) return undefined;
  return { ...present, ...changedValues(from, values) };
}

/** The values that the draft's changed fields had before, as the person saw them. */
export function readDraftStart<V extends Values>(name: string, present: V): Partial<V> {
  const { from, values } = parse(sessionStorage.getItem(PREFIX + name));
  if (!isValues(from, present) || !isValues(values, present)) return {};
  return changedValues(values, from);
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

/** The next user of this tab may be another person. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}

/** Whether any value differs. */
export function differs(before: Values, after: Values): boolean {
  return Object.keys(before).some((name) => before[name] !== after[name]);
}

function parse(text: string | null): { from?: unknown; values?: unknown } {
  try {
    return JSON.parse(text ?? '{}') ?? {};
  } catch {
    return {};
  }
}

/** Whether these are strings for exactly the same fields. */
function isValues<V extends Values>(values: unknown, like: V): values is V {
  if (typeof values !== 'object' || values === null) return false;
  const entries = Object.entries(values);
  return (
    entries.length === Object.keys(like).length &&
    entries.every(([name, value]) => name in like && typeof value === 'string')
  );
}
