import type { LiveEvent, LiveState } from './stream';

/** What a tab shows. */
export interface Want {
  dsns: readonly string[];
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

/** The server takes no more. */
const MOST = 100;

/** The devices of all tabs; when there are too many, those that somebody sees. */
export function union(wants: Iterable<Want>): string[] {
  const seenFirst = [...wants].sort((one, other) => Number(other.isSeen) - Number(one.isSeen));
  return [...new Set(seenFirst.flatMap(({ dsns }) => dsns))].slice(0, MOST);
}
