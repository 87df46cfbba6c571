import type { LiveEvent, LiveState } from './stream';

/** The devices that a tab shows. */
export interface TabSubscription {
  dsns: readonly string[];
  /** The device whose page is open. */
  page?: string;
  isVisible: boolean;
}

/** Messages between the tabs of a browser. Every tab receives all of them. */
export type Message =
  /** Asks the leader for its state. */
  | { type: 'ping' }
  /** Subscribes the leader to what a tab shows. */
  | { type: 'subscribe'; tab: string; subscription: TabSubscription }
  /** A new leader asks all tabs to subscribe. */
  | { type: 'leading' }
  /** The state of the leader's stream, the time of the server's last message, and whether the leader is visible. */
  | { type: 'state'; state: LiveState; lastMessageAt: number | undefined; isVisible: boolean }
  | { type: 'event'; event: LiveEvent };

/** The server accepts no more. */
const MAX_DEVICES = 100;
const MAX_PAGES = 10;

/** The devices of all tabs; if there are too many, those of visible tabs first. */
export function followedDevices(subscriptions: Iterable<TabSubscription>): string[] {
  return distinct(subscriptions, ({ dsns }) => dsns, MAX_DEVICES);
}

/** The devices whose page is open in a tab; if there are too many, those of visible tabs first. */
export function openPages(subscriptions: Iterable<TabSubscription>): string[] {
  return distinct(subscriptions, ({ page }) => (page === undefined ? [] : [page]), MAX_PAGES);
}

function distinct(
  subscriptions: Iterable<TabSubscription>,
  dsnsOf: (subscription: TabSubscription) => readonly string[],
  max: number,
): string[] {
  const visibleFirst = [...subscriptions].sort((one, other) => Number(other.isVisible) - Number(one.isVisible));
  return [...new Set(visibleFirst.flatMap(dsnsOf))].slice(0, max);
}
