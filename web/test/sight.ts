import { act } from '@testing-library/react';

/** An IntersectionObserver for which nothing is visible until the test scrolls there. */
export class FakeIntersectionObserver {
  private static readonly watching = new Set<FakeIntersectionObserver>();

  /** Makes all observed elements visible. */
  static scrollThere(): void {
    const entries = [{ isIntersecting: true }] as IntersectionObserverEntry[];
    act(() => {
      for (const watcher of FakeIntersectionObserver.watching) watcher.callback(entries);
    });
  }

  constructor(private readonly callback: (entries: IntersectionObserverEntry[]) => void) {}

  observe(): void {
    FakeIntersectionObserver.watching.add(this);
  }

  disconnect(): void {
    FakeIntersectionObserver.watching.delete(this);
  }
}
