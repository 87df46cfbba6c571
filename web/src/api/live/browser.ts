/** What the tabs of one browser have in common, and what tells them apart. */
export interface Browser {
  locks: LockManager;
  openChannel(name: string): BroadcastChannel;
  /** Whether this tab can be seen. */
  isSeen(): boolean;
  /** Calls when that changes, until the returned function is called. */
  onSeen(listener: () => void): () => void;
}

/** Undefined where tabs cannot agree: old browsers, and addresses that the browser does not call secure. */
export function thisBrowser(): Browser | undefined {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks || typeof BroadcastChannel === 'undefined') return undefined;
  return { locks, openChannel: (name) => new BroadcastChannel(name), isSeen, onSeen };
}

export function isSeen(): boolean {
  return document.visibilityState === 'visible';
}

export function onSeen(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
