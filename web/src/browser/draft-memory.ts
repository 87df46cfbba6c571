/**
 * Unsaved form values, kept while the tab is open and until its user signs out. A session that ends by itself keeps them for
 * the same user. Names of drafts begin with the user's id.
 */

import { changedValues } from '@/domain/changed-values';

const PREFIX = 'draft:';
const CHANNEL = 'forget-drafts';
const HAS_CHANNELS = typeof BroadcastChannel !== 'undefined';

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

/** Removes all drafts, or all but those of one user: the next user of this tab may be another person. */
export function forgetDrafts(except?: { user: string }): void {
  for (const key of Object.keys(sessionStorage)) {
    const isKept = except !== undefined && key.startsWith(PREFIX + except.user);
    if (key.startsWith(PREFIX) && !isKept) sessionStorage.removeItem(key);
  }
}

/** Removes all drafts, also in the browser's other tabs that listen: they have the same session. */
export function forgetDraftsInAllTabs(): void {
  forgetDrafts();
  if (!HAS_CHANNELS) return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(null);
  channel.close();
}

/** Listens to {@link forgetDraftsInAllTabs} of the other tabs. Returns a function that stops it. */
export function listenForForgottenDrafts(): () => void {
  if (!HAS_CHANNELS) return () => undefined;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => forgetDrafts();
  return () => channel.close();
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
