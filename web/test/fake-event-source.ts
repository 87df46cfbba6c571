/** An EventSource whose events the test sends. */
export class FakeEventSource extends EventTarget {
  static readonly all: FakeEventSource[] = [];

  /** The event source that was opened last. */
  static get latest(): FakeEventSource {
    const latest = FakeEventSource.all.at(-1);
    if (!latest) throw new Error('no EventSource was opened');
    return latest;
  }

  closed = false;

  constructor(readonly url: string) {
    super();
    FakeEventSource.all.push(this);
  }

  close(): void {
    this.closed = true;
  }

  send(type: string, data: unknown = {}): void {
    this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
  }

  fail(): void {
    this.dispatchEvent(new Event('error'));
  }
}
