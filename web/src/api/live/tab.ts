import type { Browser } from './browser';
import { Leader } from './leader';
import type { Message } from './messages';
import type { Live, LiveEvent, LiveHandlers, LiveState } from './stream';

/** A leader that does not answer for this long is frozen. */
const ANSWER_MS = 1_000;

/**
 * A tab that shares a stream with others. The tab that holds a lock is the leader and has the stream; when it releases the
 * lock, another tab acquires it at once. Browsers throttle and freeze hidden tabs, so a visible tab takes the lead from a
 * hidden one.
 */
export class LiveTab implements Live {
  private readonly id = crypto.randomUUID();
  private readonly channel: BroadcastChannel;
  private readonly left = new AbortController();
  private readonly listeners = new Set<() => void>();
  private readonly ignoreVisibility: () => void;
  private hasJoined = false;
  private leader: Leader | undefined;
  /** Cancels the pending request for the lead. */
  private waiting = new AbortController();
  private leaderTimeout: ReturnType<typeof setTimeout> | undefined;
  private dsns: readonly string[] | undefined;
  private page: string | undefined;
  private state: LiveState = 'connecting';
  private lastMessageAt: number | undefined;

  constructor(
    private readonly browser: Browser,
    /** The same for all tabs that share the stream. */
    private readonly name: string,
    private readonly handlers: LiveHandlers,
  ) {
    this.channel = browser.openChannel(name);
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.receive(data);
    this.ignoreVisibility = browser.onVisibility(() => this.checkLeader());
    void this.join();
  }

  follow(dsns: readonly string[], pages: readonly string[] = []): void {
    this.dsns = dsns;
    this.page = pages[0];
    this.sendSubscription();
  }

  close(): void {
    this.left.abort();
    this.waiting.abort();
    clearTimeout(this.leaderTimeout);
    this.ignoreVisibility();
    this.leader?.end();
    this.leader = undefined;
    this.channel.close();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): LiveState => this.state;

  readonly getLastMessageAt = (): number | undefined => this.lastMessageAt;

  readonly reconnectNow = (): void => this.leader?.stream.reconnectNow();

  /** Acquires the lock by which the leader notices the end of this tab, before it subscribes. */
  private async join(): Promise<void> {
    const { locks } = this.browser;
    await new Promise<void>((joined) => {
      const hold = () => {
        joined();
        return this.untilLeft();
      };
      locks.request(this.lockOf(this.id), hold).catch(() => undefined);
    });
    if (this.left.signal.aborted) return;
    this.hasJoined = true;
    void this.claimLead();
    this.checkLeader();
  }

  /** Requests the lead, and returns when this tab has lost it. */
  private async claimLead(steal = false): Promise<void> {
    this.waiting.abort();
    this.waiting = new AbortController();
    const { signal } = this.waiting;
    await this.browser.locks
      .request(this.name, steal ? { steal } : { signal }, () => this.takeLead())
      .catch(() => undefined);
    if (this.left.signal.aborted || (!steal && signal.aborted)) return;
    // Another tab has taken the lead.
    this.leader?.end();
    this.leader = undefined;
    void this.claimLead();
  }

  private takeLead(): Promise<void> {
    if (this.left.signal.aborted) return Promise.resolve();
    clearTimeout(this.leaderTimeout);
    const leader = new Leader(this.browser.locks, this.lockOf, {
      event: (event) => {
        this.post({ type: 'event', event });
        this.handle(event);
      },
      recheck: this.handlers.recheck,
      isOnline: this.handlers.isOnline,
      now: this.handlers.now,
    });
    leader.stream.subscribe(() => {
      if (leader === this.leader) this.setState(leader.stream.getState(), leader.stream.getLastMessageAt());
    });
    this.leader = leader;
    this.sendSubscription();
    this.post({ type: 'leading' });
    return this.untilLeft();
  }

  private receive(message: Message): void {
    switch (message.type) {
      case 'ping':
        this.postState();
        break;
      case 'subscribe':
        this.leader?.subscribe(message.tab, message.subscription);
        break;
      case 'leading':
        this.sendSubscription();
        break;
      case 'state':
        clearTimeout(this.leaderTimeout);
        if (this.leader) break;
        this.setState(message.state, message.lastMessageAt);
        if (!message.isVisible && this.browser.isVisible()) void this.claimLead(true);
        break;
      case 'event':
        if (!this.leader) this.handle(message.event);
        break;
    }
  }

  private handle(event: LiveEvent): void {
    const isForOtherTabs = event.type === 'resync' && event.dsns?.some((dsn) => this.dsns?.includes(dsn)) === false;
    if (!isForOtherTabs) this.handlers.event(event);
  }

  private sendSubscription(): void {
    if (!this.dsns || !this.hasJoined) return;
    const subscription = { dsns: this.dsns, page: this.page, isVisible: this.browser.isVisible() };
    if (this.leader) this.leader.subscribe(this.id, subscription);
    else this.post({ type: 'subscribe', tab: this.id, subscription });
  }

  /** Checks that a leader answers, and takes the lead otherwise if this tab is visible. */
  private checkLeader(): void {
    if (!this.hasJoined) return;
    clearTimeout(this.leaderTimeout);
    this.sendSubscription();
    if (this.leader) this.postState();
    else this.post({ type: 'ping' });
    if (!this.leader && this.browser.isVisible()) {
      this.leaderTimeout = setTimeout(() => void this.claimLead(true), ANSWER_MS);
    }
  }

  private post(message: Message): void {
    this.channel.postMessage(message);
  }

  private postState(): void {
    if (!this.leader) return;
    this.post({
      type: 'state',
      state: this.state,
      lastMessageAt: this.lastMessageAt,
      isVisible: this.browser.isVisible(),
    });
  }

  /** A new leader without a network has received no message yet and keeps the time that the previous leader reported. */
  private setState(state: LiveState, lastMessageAt = this.lastMessageAt): void {
    this.state = state;
    this.lastMessageAt = lastMessageAt;
    this.postState();
    for (const listener of this.listeners) listener();
  }

  private untilLeft(): Promise<void> {
    const { signal } = this.left;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  private readonly lockOf = (tab: string): string => `${this.name}/${tab}`;
}
