/** The browser features that tabs share, and this tab's visibility. */
export interface Browser {
  locks: LockManager;
  openChannel(name: string): BroadcastChannel;
  /** Whether this tab is visible. */
  isVisible(): boolean;
  /** Calls `listener` when the visibility changes, until the returned function is called. */
  onVisibility(listener: () => void): () => void;
}

/** Undefined if tabs cannot coordinate: in old browsers and on insecure origins. */
export function thisBrowser(): Browser | undefined {
  const locks: LockManager | undefined = navigator.locks;
  if (!locks || typeof BroadcastChannel === 'undefined') return undefined;
  return { locks, openChannel: (name) => new BroadcastChannel(name), isVisible, onVisibility };
}

export function isVisible(): boolean {
  return document.visibilityState === 'visible';
}

export function onVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}
