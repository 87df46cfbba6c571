import type { LiveEvent, LiveState } from './stream';

/** What a tab shows. */
export interface Want {
  dsns: readonly string[];
  /** The device whose page is open. */
  page?: string;
  isSeen: boolean;
}

/** What the tabs of a browser say to each other; all hear all. */
export type Message =
  /** A tab that does not lead, to the one that does: how are you? */
  | { type: 'who' }
  /** A tab, to the one that leads. */
  | { type: 'want'; tab: string; want: Want }
  /** The one that leads now, to all: tell me what you want. */
  | { type: 'leading' }
  /** The one that leads, to all: how its stream is, when the server was last heard, and whether the tab is seen. */
  | { type: 'state'; state: LiveState; heardAt: number | undefined; isSeen: boolean }
  | { type: 'event'; event: LiveEvent };

/** The server accepts no more. */
const MAX_DEVICES = 100;
const MAX_PAGES = 10;

/** The devices of all tabs; if there are too many, those of visible tabs first. */
export function union(wants: Iterable<Want>): string[] {
  return distinct(wants, ({ dsns }) => dsns, MAX_DEVICES);
}

/** The devices whose page is open in a tab; if there are too many, those of visible tabs first. */
export function openPages(wants: Iterable<Want>): string[] {
  return distinct(wants, ({ page }) => (page === undefined ? [] : [page]), MAX_PAGES);
}

function distinct(wants: Iterable<Want>, dsnsOf: (want: Want) => readonly string[], max: number): string[] {
  const visibleFirst = [...wants].sort((one, other) => Number(other.isSeen) - Number(one.isSeen));
  return [...new Set(visibleFirst.flatMap(dsnsOf))].slice(0, max);
}
