/** The caches of a browser by name, whose content tests can inspect. */
export class FakeCaches {
  private readonly caches = new Map<string, FakeCache>();

  async open(name: string): Promise<FakeCache> {
    const cache = this.caches.get(name) ?? new FakeCache();
    this.caches.set(name, cache);
    return cache;
  }

  /** The paths of all responses in all caches. */
  get paths(): string[] {
    return [...this.caches.values()].flatMap((cache) => [...cache.responses.keys()]).sort();
  }
}

class FakeCache {
  readonly responses = new Map<string, Response>();

  async match(address: string): Promise<Response | undefined> {
    return this.responses.get(pathOf(address))?.clone();
  }

  async put(address: string, response: Response): Promise<void> {
    this.responses.set(pathOf(address), response);
  }

  async keys(): Promise<Request[]> {
    return [...this.responses.keys()].map((path) => new Request(`http://console.test${path}`));
  }

  async delete(address: string): Promise<boolean> {
    return this.responses.delete(pathOf(address));
  }
}

function pathOf(address: string): string {
  return new URL(address, 'http://console.test').pathname;
}
