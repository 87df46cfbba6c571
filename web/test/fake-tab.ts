import type { Browser } from '@/api/live/browser';

/** A tab of a browser with real locks and channels, which can be hidden, frozen or crash. */
export class FakeTab implements Browser {
  private visible = true;
  private isOver = false;
  private readonly over = Promise.withResolvers<void>();
  private readonly visibilityListeners = new Set<() => void>();
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

  isVisible(): boolean {
    return this.visible;
  }

  onVisibility(listener: () => void): () => void {
    this.visibilityListeners.add(listener);
    return () => this.visibilityListeners.delete(listener);
  }

  /** Shows or hides the tab. */
  show(visible: boolean): void {
    this.visible = visible;
    for (const listener of this.visibilityListeners) listener();
  }

  /** Keeps its locks but neither sends nor receives messages. */
  freeze(): void {
    for (const channel of this.channels) channel.close();
  }

  /** Ends without a message. */
  crash(): void {
    this.isOver = true;
    this.over.resolve();
    this.freeze();
  }
}
