import type { DeviceEvent } from './schema.gen';

export type LiveState = 'connecting' | 'live' | 'reconnecting' | 'offline';

export interface LiveHandlers {
  device(event: DeviceEvent): void;
  /** Something may have been missed: what is shown must be read again. */
  resync(): void;
  /** The stream broke or was ended; resolves to false when the server cannot be reached. */
  recheck(): Promise<boolean>;
}

const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];

/** The one event stream of a page. EventSource hides why it failed, so the retries are ours and each begins with a look at the session. */
export class LiveStream {
  private source: EventSource | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private dsns: string | undefined;
  private state: LiveState = 'connecting';
  private readonly listeners = new Set<() => void>();

  constructor(private readonly handlers: LiveHandlers) {}

  /** Names the devices to follow, at most 100. Opens the stream, anew when they changed. */
  follow(dsns: readonly string[]): void {
    const wanted = new URLSearchParams([...dsns].sort().map((dsn) => ['dsn', dsn])).toString();
    if (wanted === this.dsns) return;
    this.dsns = wanted;
    this.open();
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

  /** For a network that is back: not to wait for the next retry. */
  readonly reconnectNow = (): void => {
    if (this.dsns !== undefined && this.state !== 'live') this.open();
  };

  private open(): void {
    this.disconnect();
    const source = new EventSource(this.dsns ? `/api/events?${this.dsns}` : '/api/events');
    this.source = source;
    source.addEventListener('ready', () => {
      this.failures = 0;
      this.setState('live');
      this.handlers.resync();
    });
    source.addEventListener('device', (message) => this.handlers.device(JSON.parse(message.data)));
    source.addEventListener('resync', () => this.handlers.resync());
    source.addEventListener('end', () => void this.lost());
    source.addEventListener('error', () => void this.lost());
  }

  private async lost(): Promise<void> {
    this.disconnect();
    // Once offline it stays so until something gets through, or the badge would blink at every try.
    if (this.state !== 'offline') this.setState('reconnecting');
    const delay = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)] ?? 0;
    this.failures += 1;
    // Spread, or every open page would come back in the same second after a restart of the server.
    this.retry = setTimeout(() => this.open(), delay * (0.75 + Math.random() / 2));
    const reachable = await this.handlers.recheck();
    if (this.state !== 'live') this.setState(reachable ? 'reconnecting' : 'offline');
  }

  private disconnect(): void {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = undefined;
  }

  private setState(state: LiveState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}
