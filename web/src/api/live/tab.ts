import type { Browser } from './browser';
import { Lead } from './lead';
import type { Message } from './messages';
import type { Live, LiveEvent, LiveHandlers, LiveState } from './stream';

/** A leader that says nothing for so long is frozen. */
const ANSWER_MS = 1_000;

/**
 * One tab among those that share a stream. Whoever holds a lock leads and has the stream; the lock goes to another tab in
 * the moment in which it is let go. Browsers slow down and freeze tabs that nobody sees, so one that is seen takes the
 * lead from one that is not.
 */
export class LiveTab implements Live {
  private readonly id = crypto.randomUUID();
  private readonly channel: BroadcastChannel;
  private readonly left = new AbortController();
  private readonly listeners = new Set<() => void>();
  private readonly forgetSeen: () => void;
  private hasJoined = false;
  private lead: Lead | undefined;
  /** The request for the lead that is waiting. */
  private waiting = new AbortController();
  private impatience: ReturnType<typeof setTimeout> | undefined;
  private dsns: readonly string[] | undefined;
  private page: string | undefined;
  private state: LiveState = 'connecting';
  private heardAt: number | undefined;

  constructor(
    private readonly browser: Browser,
    /** The same for all that share. */
    private readonly name: string,
    private readonly handlers: LiveHandlers,
  ) {
    this.channel = browser.openChannel(name);
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.hear(data);
    this.forgetSeen = browser.onSeen(() => this.seen());
    void this.join();
  }

  follow(dsns: readonly string[], pages: readonly string[] = []): void {
    this.dsns = dsns;
    this.page = pages[0];
    this.tell();
  }

  close(): void {
    this.left.abort();
    this.waiting.abort();
    clearTimeout(this.impatience);
    this.forgetSeen();
    this.lead?.end();
    this.lead = undefined;
    this.channel.close();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): LiveState => this.state;

  readonly getHeardAt = (): number | undefined => this.heardAt;

  readonly reconnectNow = (): void => this.lead?.stream.reconnectNow();

  /** Before anybody hears of this tab it holds the lock by which its end is noticed. */
  private async join(): Promise<void> {
    const { locks } = this.browser;
    await new Promise<void>((joined) => {
      const here = () => {
        joined();
        return this.untilLeft();
      };
      locks.request(this.lockOf(this.id), here).catch(() => undefined);
    });
    if (this.left.signal.aborted) return;
    this.hasJoined = true;
    void this.claim();
    this.seen();
  }

  /** Asks for the lead, and comes back when it has it no more. */
  private async claim(steal = false): Promise<void> {
    this.waiting.abort();
    this.waiting = new AbortController();
    const { signal } = this.waiting;
    await this.browser.locks
      .request(this.name, steal ? { steal } : { signal }, () => this.takeLead())
      .catch(() => undefined);
    if (this.left.signal.aborted || (!steal && signal.aborted)) return;
    // Taken by another tab.
    this.lead?.end();
    this.lead = undefined;
    void this.claim();
  }

  private takeLead(): Promise<void> {
    if (this.left.signal.aborted) return Promise.resolve();
    clearTimeout(this.impatience);
    const lead = new Lead(this.browser.locks, this.lockOf, {
      event: (event) => {
        this.say({ type: 'event', event });
        this.pass(event);
      },
      recheck: this.handlers.recheck,
      isOnline: this.handlers.isOnline,
      now: this.handlers.now,
    });
    lead.stream.subscribe(() => {
      if (lead === this.lead) this.setState(lead.stream.getState(), lead.stream.getHeardAt());
    });
    this.lead = lead;
    this.tell();
    this.say({ type: 'leading' });
    return this.untilLeft();
  }

  private hear(message: Message): void {
    switch (message.type) {
      case 'who':
        this.sayState();
        break;
      case 'want':
        this.lead?.take(message.tab, message.want);
        break;
      case 'leading':
        this.tell();
        break;
      case 'state':
        clearTimeout(this.impatience);
        if (this.lead) break;
        this.setState(message.state, message.heardAt);
        if (!message.isSeen && this.browser.isSeen()) void this.claim(true);
        break;
      case 'event':
        if (!this.lead) this.pass(message.event);
        break;
    }
  }

  private pass(event: LiveEvent): void {
    const isOfOthers = event.type === 'resync' && event.dsns?.some((dsn) => this.dsns?.includes(dsn)) === false;
    if (!isOfOthers) this.handlers.event(event);
  }

  private tell(): void {
    if (!this.dsns || !this.hasJoined) return;
    const want = { dsns: this.dsns, page: this.page, isSeen: this.browser.isSeen() };
    if (this.lead) this.lead.take(this.id, want);
    else this.say({ type: 'want', tab: this.id, want });
  }

  /** This tab is seen now, or no more. */
  private seen(): void {
    if (!this.hasJoined) return;
    clearTimeout(this.impatience);
    this.tell();
    if (this.lead) this.sayState();
    else this.say({ type: 'who' });
    if (!this.lead && this.browser.isSeen()) this.impatience = setTimeout(() => void this.claim(true), ANSWER_MS);
  }

  private say(message: Message): void {
    this.channel.postMessage(message);
  }

  private sayState(): void {
    if (!this.lead) return;
    this.say({ type: 'state', state: this.state, heardAt: this.heardAt, isSeen: this.browser.isSeen() });
  }

  /** A tab that took the lead without a network has heard nothing yet: the time that the tab before it reported stays. */
  private setState(state: LiveState, heardAt = this.heardAt): void {
    this.state = state;
    this.heardAt = heardAt;
    this.sayState();
    for (const listener of this.listeners) listener();
  }

  private untilLeft(): Promise<void> {
    const { signal } = this.left;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  }

  private readonly lockOf = (tab: string): string => `${this.name}/${tab}`;
}
