import type { DeviceEvent, DeviceRemoved, JobProgress } from '@/api/schema.gen';

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline';

/** What a page is told. */
export type LiveEvent =
  | { type: 'device'; change: DeviceEvent }
  /** The device is gone, or not the reader's any more. */
  | ({ type: 'removed' } & DeviceRemoved)
  /** A job of the reader's has come further. */
  | { type: 'job'; progress: JobProgress }
  /** Lists show, count or order something otherwise now. */
  | { type: 'list' }
  /** Something may have been missed, of these devices or, when none are named, of any. */
  | { type: 'resync'; dsns?: readonly string[] }
  /** The stream was ended: the session has ended or its rights have changed. */
  | { type: 'end' };

/** Where a page hears of changes. */
export interface Live {
  /** Names the devices to follow, at most 100. */
  follow(dsns: readonly string[]): void;
  close(): void;
  subscribe(listener: () => void): () => void;
  getState(): LiveState;
  /** For a network that is back: not to wait for the next retry. */
  reconnectNow(): void;
}

export interface LiveHandlers {
  event(event: LiveEvent): void;
  /** The stream broke or was ended; resolves to false when the server cannot be reached. */
  recheck(): Promise<boolean>;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** One event stream. EventSource hides why it failed, so the retries are ours and each begins with a look at the session. */
export class LiveStream implements Live {
  private source: EventSource | undefined;
  /** Takes the place of `source` as soon as it is ready, so that nothing is missed between them. */
  private next: EventSource | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private dsns: readonly string[] | undefined;
  /** What the source that is ready follows. */
  private covered: readonly string[] = [];
  private state: LiveState = 'connecting';
  private readonly listeners = new Set<() => void>();

  constructor(private readonly handlers: LiveHandlers) {}

  /** Opens the stream, anew when the devices changed. */
  follow(dsns: readonly string[]): void {
    const wanted = [...dsns].sort();
    if (this.dsns?.join() === wanted.join()) return;
    this.dsns = wanted;
    this.open(wanted);
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

  readonly reconnectNow = (): void => {
    if (this.dsns && this.state !== 'live') this.open(this.dsns);
  };

  private open(dsns: readonly string[]): void {
    clearTimeout(this.retry);
    this.next?.close();
    const query = new URLSearchParams(dsns.map((dsn) => ['dsn', dsn])).toString();
    const source = new EventSource(query ? `/api/events?${query}` : '/api/events');
    this.next = source;
    const { event } = this.handlers;
    source.addEventListener('ready', () => this.ready(source, dsns));
    source.addEventListener('device', ({ data }) => event({ type: 'device', change: JSON.parse(data) }));
    source.addEventListener('removed', ({ data }) => event({ type: 'removed', dsn: JSON.parse(data).dsn }));
    source.addEventListener('job', ({ data }) => event({ type: 'job', progress: JSON.parse(data) }));
    source.addEventListener('list', () => event({ type: 'list' }));
    source.addEventListener('resync', () => event({ type: 'resync' }));
    source.addEventListener('end', () => {
      event({ type: 'end' });
      void this.lost();
    });
    source.addEventListener('error', () => void this.lost());
  }

  private ready(source: EventSource, dsns: readonly string[]): void {
    const gapless = this.source !== undefined;
    const added = dsns.filter((dsn) => !this.covered.includes(dsn));
    this.source?.close();
    this.source = source;
    this.next = undefined;
    this.covered = dsns;
    this.failures = 0;
    this.setState('live');
    if (!gapless) this.handlers.event({ type: 'resync' });
    else if (added.length > 0) this.handlers.event({ type: 'resync', dsns: added });
  }

  private async lost(): Promise<void> {
    this.disconnect();
    // Once offline it stays so until something gets through, or the badge would blink at every try.
    if (this.state !== 'offline') this.setState('reconnecting');
    const delay = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] ?? 0;
    this.failures += 1;
    // Spread, or every open page would come back in the same second after a restart of the server.
    this.retry = setTimeout(() => this.open(this.dsns ?? []), delay * (0.75 + Math.random() / 2));
    const reachable = await this.handlers.recheck();
    if (this.state !== 'live') this.setState(reachable ? 'reconnecting' : 'offline');
  }

  private disconnect(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.next?.close();
    this.source = undefined;
    this.next = undefined;
  }

  private setState(state: LiveState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
