import type { DeviceEvent, DeviceRemoved, JobProgress, StreamEnd, StreamEvent } from '@/api/schema.gen';

/**
 * 'live' only if the stream follows all shown devices. 'polling': the server is reachable, but no stream opens. 'paused': the user
 * has more open streams than allowed, and newer ones took the place of this one.
 */
export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline' | 'paused';

type KeysOf<Union> = Union extends unknown ? keyof Union : never;
type Empty = 'ready' | 'heartbeat' | 'list' | 'attention' | 'resync';
type EventType = KeysOf<StreamEvent> | Empty;
/** The data of an event, as api/openapi.json describes it. */
type EventData<Type> = StreamEvent extends infer Event
  ? Event extends Record<Type & string, infer Data>
    ? Data
    : never
  : never;

/** An event for pages. */
export type LiveEvent =
  | { type: 'device'; change: DeviceEvent }
  /** The device was removed, or the user may no longer see it. */
  | ({ type: 'removed' } & DeviceRemoved)
  /** A job of the user made progress. */
  | { type: 'job'; progress: JobProgress }
  /** The contents, counts or order of a list changed. */
  | { type: 'list' }
  /** Items of attention changed. */
  | { type: 'attention' }
  /** Events may have been missed about these devices, or about any device. */
  | { type: 'resync'; dsns?: readonly string[] }
  /** The stream has ended. */
  | ({ type: 'end' } & StreamEnd);

/** The source of events for a page. */
export interface Live {
  /** Names the devices to follow, at most 100, and those whose page is open: their events contain what the page shows. */
  follow(dsns: readonly string[], pages?: readonly string[]): void;
  close(): void;
  subscribe(listener: () => void): () => void;
  getState(): LiveState;
  /** Time of the server's last message, by `LiveHandlers.now`. */
  getLastMessageAt(): number | undefined;
  /** Opens a new stream after a network change, to find out whether the server is reachable. */
  reconnectNow(): void;
}

export interface LiveHandlers {
  event(event: LiveEvent): void;
  /** Checks the session after the stream broke or ended; resolves to false if the server is unreachable. */
  recheck(): Promise<boolean>;
  /** False if the browser knows that it has no network. */
  isOnline(): boolean;
  /** Milliseconds since the epoch. */
  now(): number;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
const PAUSE_MS = 120_000;
/** Maximum silence of an open stream: the server sends a heartbeat every 5 s. */
const SILENCE_MS = 8_000;
/** Maximum time until a new stream sends its first message. */
const OPENING_MS = 15_000;
/** A page whose stream has not opened after this long is not called live or connecting any more. */
const LATE_MS = 5_000;
/** The server counts as unreachable if it does not answer the recheck within this time. */
const ANSWER_MS = 1_500;

/** One event stream. EventSource hides the cause of a failure, so each retry of ours begins by reading the session. */
export class LiveStream implements Live {
  private source: EventSource | undefined;
  /** Replaces `source` once it is ready, so that no event is missed between them. */
  private next: EventSource | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  /** The limit of the silence of each open stream. */
  private readonly silences = new Map<EventSource, ReturnType<typeof setTimeout>>();
  private late: ReturnType<typeof setTimeout> | undefined;
  private unanswered: ReturnType<typeof setTimeout> | undefined;
  private lastMessageAt: number | undefined;
  private failures = 0;
  private dsns: readonly string[] | undefined;
  private pages: readonly string[] = [];
  /** The devices that `source` follows. */
  private covered: readonly string[] = [];
  private state: LiveState = 'connecting';
  private readonly listeners = new Set<() => void>();

  constructor(private readonly handlers: LiveHandlers) {}

  /** Opens the stream, or a new one if the devices changed. */
  follow(dsns: readonly string[], pages: readonly string[] = []): void {
    const [followed, opened] = [[...dsns].sort(), [...pages].sort()];
    if (this.dsns?.join() === followed.join() && this.pages.join() === opened.join()) return;
    this.dsns = followed;
    this.pages = opened;
    this.open(followed);
  }

  close(): void {
    this.disconnect();
    this.dsns = undefined;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): LiveState => this.state;

  readonly getLastMessageAt = (): number | undefined => this.lastMessageAt;

  readonly reconnectNow = (): void => {
    if (!this.dsns) return;
    this.failures = 0;
    void this.lost();
    this.open(this.dsns);
  };

  private open(dsns: readonly string[]): void {
    clearTimeout(this.retry);
    this.discard(this.next);
    const parameters = [...dsns.map((dsn) => ['dsn', dsn]), ...this.pages.map((dsn) => ['page', dsn])];
    const query = new URLSearchParams(parameters).toString();
    const source = new EventSource(query ? `/api/events?${query}` : '/api/events');
    this.next = source;
    this.limitSilence(source, OPENING_MS);
    this.limitOpening(dsns);
    const { event } = this.handlers;
    const on = <Type extends EventType>(type: Type, handle: (data: EventData<Type>) => void) =>
      source.addEventListener(type, ({ data }: MessageEvent<string>) => {
        this.lastMessageAt = this.handlers.now();
        this.limitSilence(source, SILENCE_MS);
        handle(JSON.parse(data));
      });
    on('heartbeat', () => undefined);
    on('ready', () => this.ready(source, dsns));
    on('device', (change) => event({ type: 'device', change }));
    on('removed', ({ dsn }) => event({ type: 'removed', dsn }));
    on('job', (progress) => event({ type: 'job', progress }));
    on('list', () => event({ type: 'list' }));
    on('attention', () => event({ type: 'attention' }));
    on('resync', () => event({ type: 'resync' }));
    on('end', ({ reason }) => {
      if (reason !== 'too_many_streams') {
        event({ type: 'end', reason });
        void this.lost();
      } else if (this.next && this.next !== source) {
        this.discard(source);
        this.source = undefined;
      } else this.pause();
    });
    on('reconnect', ({ afterMs }) => this.reconnectAfter(afterMs));
    source.addEventListener('error', () => this.fail(source));
  }

  private limitSilence(source: EventSource, ms: number): void {
    clearTimeout(this.silences.get(source));
    this.silences.set(
      source,
      setTimeout(() => this.fail(source), ms),
    );
  }

  /** The previous stream keeps the page live if it follows all of these devices. */
  private limitOpening(dsns: readonly string[]): void {
    clearTimeout(this.late);
    const isCovered = this.source !== undefined && dsns.every((dsn) => this.covered.includes(dsn));
    if (!isCovered) this.late = setTimeout(() => this.state !== 'offline' && this.setState('polling'), LATE_MS);
    else if (this.state === 'polling') this.setState('live');
  }

  /** Handles the end of a stream; another one goes on. */
  private fail(source: EventSource): void {
    const isNext = source === this.next;
    if (!(isNext ? this.source : this.next)) {
      void this.lost();
      return;
    }
    this.discard(source);
    if (isNext) {
      this.next = undefined;
      this.retryLater();
      void this.handlers.recheck();
    } else {
      this.source = undefined;
      this.setState('reconnecting');
    }
  }

  private discard(source: EventSource | undefined): void {
    if (!source) return;
    source.close();
    clearTimeout(this.silences.get(source));
    this.silences.delete(source);
  }

  private retryLater(): void {
    const delay = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] ?? 0;
    this.failures += 1;
    // Randomized, so that not all open pages reconnect in the same second after a restart of the server.
    this.retry = setTimeout(() => this.open(this.dsns ?? []), delay * (0.75 + Math.random() / 2));
  }

  private ready(source: EventSource, dsns: readonly string[]): void {
    const gapless = this.source !== undefined;
    const added = dsns.filter((dsn) => !this.covered.includes(dsn));
    this.discard(this.source);
    this.source = source;
    this.next = undefined;
    this.covered = dsns;
    this.failures = 0;
    clearTimeout(this.unanswered);
    clearTimeout(this.late);
    this.setState('live');
    if (!gapless) {
      this.handlers.event({ type: 'resync' });
      return;
    }
    if (added.length > 0) this.handlers.event({ type: 'resync', dsns: added });
    // The server collects these changes for a while, and the previous stream may have ended before it sent them.
    this.handlers.event({ type: 'list' });
    this.handlers.event({ type: 'attention' });
  }

  private async lost(): Promise<void> {
    this.disconnect();
    // Offline and polling stay until a message arrives; otherwise the badge would flicker at every retry.
    if (!this.handlers.isOnline()) this.setState('offline');
    else if (this.state !== 'offline' && this.state !== 'polling') this.setState('reconnecting');
    this.retryLater();
    this.unanswered = setTimeout(() => this.setState('offline'), ANSWER_MS);
    const reachable = await this.handlers.recheck();
    clearTimeout(this.unanswered);
    // The response may have been in transit when the network failed.
    if (this.state === 'live') return;
    const isReachable = reachable && this.handlers.isOnline();
    // The first failure may be a short interruption.
    this.setState(!isReachable ? 'offline' : this.failures > 1 ? 'polling' : 'reconnecting');
  }

  /** The server stops. Another one may serve the session already, so it is not read first. */
  private reconnectAfter(ms: number): void {
    this.disconnect();
    this.setState('reconnecting');
    this.retry = setTimeout(() => this.open(this.dsns ?? []), ms);
  }

  /** Waits before it opens a stream again, because the user has too many and the server would end another one. */
  private pause(): void {
    this.disconnect();
    this.setState('paused');
    this.retry = setTimeout(() => this.open(this.dsns ?? []), PAUSE_MS * (0.75 + Math.random() / 2));
  }

  private disconnect(): void {
    for (const timer of [this.retry, this.late, this.unanswered]) clearTimeout(timer);
    this.discard(this.source);
    this.discard(this.next);
    this.source = undefined;
    this.next = undefined;
  }

  private setState(state: LiveState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
