/** What was typed into a form and not saved, as long as the tab is open and nobody signs out. */

import { changedValues } from './changed-values';

const PREFIX = 'draft:';

type Values = Record<string, string>;

/** Keeps what was typed, together with what it began from; the same values are no draft. */
export function keepDraft(name: string, from: Values, values: Values): void {
  if (!differs(from, values)) {
    forgetDraft(name);
    return;
  }
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify({ from, values }));
  } catch {
    // A full storage must not keep anybody from typing.
  }
}

/**
 * The present values with what was typed the last time in their place. What somebody else saved since stays, but for the
 * fields that were typed into.
 */
export function readDraft<V extends Values>(name: string, present: V): V | undefined {
  const { from, values } = parse(sessionStorage.getItem(PREFIX + name));
  if (!isValues(from, present) || !isValues(values, present)) return undefined;
  return { ...present, ...changedValues(from, values) };
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

/** The next one in this tab may be somebody else. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}

/** Whether one of the values is another. */
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

/** Whether these are texts for the same fields, no more and no less. */
function isValues<V extends Values>(values: unknown, like: V): values is V {
  if (typeof values !== 'object' || values === null) return false;
  const entries = Object.entries(values);
  return (
    entries.length === Object.keys(like).length &&
    entries.every(([name, value]) => name in like && typeof value === 'string')
  );
}
