import type { Browser } from '@/api/live/browser';

/** One tab of a browser whose locks and channels are real ones, and what may happen to a tab. */
export class FakeTab implements Browser {
  private seen = true;
  private isOver = false;
  private readonly over = Promise.withResolvers<void>();
  private readonly seenListeners = new Set<() => void>();
  private readonly channels: BroadcastChannel[] = [];

  readonly locks = {
    request: (name: string, ...rest: [LockOptions, LockGrantedCallback<unknown>] | [LockGrantedCallback<unknown>]) => {
      const [options, granted] = rest.length === 2 ? rest : [{}, rest[0]];
      return navigator.locks.request(name, options, (lock) =>
        this.isOver ? undefined : Promise.race([granted(lock), this.over.promise]),
      );
    },
  } as LockManager;

  openChannel(name: string): BroadcastChannel {
    const channel = new BroadcastChannel(name);
    this.channels.push(channel);
    return channel;
  }

  isSeen(): boolean {
    return this.seen;
  }

  onSeen(listener: () => void): () => void {
    this.seenListeners.add(listener);
    return () => this.seenListeners.delete(listener);
  }

  /** Brings it to the front, or covers it. */
  show(seen: boolean): void {
    this.seen = seen;
    for (const listener of this.seenListeners) listener();
  }

  /** It keeps its locks, but says and hears nothing any more. */
  freeze(): void {
    for (const channel of this.channels) channel.close();
  }

  /** It is gone without a word. */
  crash(): void {
    this.isOver = true;
    this.over.resolve();
    this.freeze();
  }
}
