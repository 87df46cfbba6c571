import { followedDevices, openPages, type TabSubscription } from './messages';
import { type LiveHandlers, LiveStream } from './stream';

/** Subscriptions within this time cause one change of the stream. */
const BATCH_MS = 50;

/** The leader of the tabs: it holds the stream for all of them. */
export class Leader {
  readonly stream: LiveStream;
  private readonly subscriptions = new Map<string, TabSubscription>();
  private readonly ended = new AbortController();
  private batch: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly locks: LockManager,
    /** The lock that a tab holds while it exists. */
    private readonly lockOf: (tab: string) => string,
    handlers: LiveHandlers,
  ) {
    this.stream = new LiveStream(handlers);
  }

  /** Stores what a tab shows from now on. */
  subscribe(tab: string, subscription: TabSubscription): void {
    if (!this.subscriptions.has(tab)) this.watchTab(tab);
    this.subscriptions.set(tab, subscription);
    this.follow();
  }

  end(): void {
    this.ended.abort();
    clearTimeout(this.batch);
    this.stream.close();
  }

  private watchTab(tab: string): void {
    const unsubscribe = () => {
      this.subscriptions.delete(tab);
      this.follow();
    };
    // Granted when the tab no longer exists, however it ended. Rejected when this tab is no longer the leader.
    this.locks.request(this.lockOf(tab), { signal: this.ended.signal }, unsubscribe).catch(() => undefined);
  }

  private follow(): void {
    this.batch ??= setTimeout(() => {
      this.batch = undefined;
      const subscriptions = [...this.subscriptions.values()];
      this.stream.follow(followedDevices(subscriptions), openPages(subscriptions));
    }, BATCH_MS);
  }
}
