import { openPages, union, type Want } from './messages';
import { type LiveHandlers, LiveStream } from './stream';

/** Tabs that open or turn a page at the same time make one change of the stream. */
const GATHER_MS = 50;

/** The part of the tab that leads: it holds the stream for all tabs. */
export class Lead {
  readonly stream: LiveStream;
  private readonly wants = new Map<string, Want>();
  private readonly over = new AbortController();
  private gathering: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly locks: LockManager,
    /** The lock that a tab holds for as long as it is there. */
    private readonly lockOf: (tab: string) => string,
    handlers: LiveHandlers,
  ) {
    this.stream = new LiveStream(handlers);
  }

  /** What a tab shows from now on. */
  take(tab: string, want: Want): void {
    if (!this.wants.has(tab)) this.awaitEnd(tab);
    this.wants.set(tab, want);
    this.follow();
  }

  end(): void {
    this.over.abort();
    clearTimeout(this.gathering);
    this.stream.close();
  }

  private awaitEnd(tab: string): void {
    const gone = () => {
      this.wants.delete(tab);
      this.follow();
    };
    // Granted once the tab is gone, however it went. Refused when this one leads no more.
    this.locks.request(this.lockOf(tab), { signal: this.over.signal }, gone).catch(() => undefined);
  }

  private follow(): void {
    this.gathering ??= setTimeout(() => {
      this.gathering = undefined;
      const wants = [...this.wants.values()];
      this.stream.follow(union(wants), openPages(wants));
    }, GATHER_MS);
  }
}
