import type { EventEmitter } from 'node:events';
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from '@playwright/test';
import type { Guard } from './guard';

export type Cookies = Parameters<BrowserContext['addCookies']>[0];

type Options = BrowserContextOptions & { baseURL: string };

/** Calls whose effect outlasts the document. A page that got one is closed with its context. */
const LASTING = {
  page: ['addInitScript', 'emulateMedia', 'exposeBinding', 'route', 'setViewportSize'],
  context: ['newCDPSession', 'newPage', 'on', 'once', 'setGeolocation', 'setOffline'],
} as const;

/** At most this many unused contexts are kept. */
const MOST_IDLE = 4;

interface Entry {
  key: string;
  baseURL: string;
  context: BrowserContext;
  page: Page;
  devtools: CDPSession;
  /** The guard of the test that uses the context. */
  guard: Guard;
  isReusable: boolean;
  /** What the test listens to. */
  listeners: Parameters<EventEmitter['on']>[];
}

/**
 * The browser contexts of a worker. A new window and cold caches cost more than most tests, so one test after another uses the
 * page of a context, if nothing of a test can reach the next one: the page is empty, cookies and storage are cleared, and a
 * context that a test changed otherwise is closed.
 */
export class Contexts {
  private idle: Entry[] = [];
  private readonly used = new Set<Entry>();

  constructor(private readonly browser: Browser) {}

  /** An empty page with these cookies in a context with these options, watched by `guard`. */
  async open(options: Options, cookies: Cookies, guard: Guard): Promise<Page> {
    const key = JSON.stringify(options);
    const kept = this.idle.find((entry) => entry.key === key);
    this.idle = this.idle.filter((entry) => entry !== kept);
    const entry = kept ?? (await this.create(key, options, guard));
    entry.guard = guard;
    this.used.add(entry);
    if (cookies.length > 0) await entry.context.addCookies(cookies);
    return entry.page;
  }

  /** Ends the use of all open contexts, and closes those that no other test may use. */
  async release(mayReuse: (baseURL: string) => boolean): Promise<void> {
    const used = [...this.used];
    this.used.clear();
    await Promise.all(
      used.map(async (entry) => {
        const { context, page, baseURL, isReusable } = entry;
        const isWanted = isReusable && mayReuse(baseURL) && !page.isClosed() && context.pages().length === 1;
        if (isWanted && (await clean(entry))) this.idle.push(entry);
        else await context.close();
      }),
    );
    const surplus = this.idle.splice(0, Math.max(0, this.idle.length - MOST_IDLE));
    await Promise.all(surplus.map(({ context }) => context.close()));
  }

  private async create(key: string, options: Options, guard: Guard) {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    const entry: Entry = {
      key,
      baseURL: options.baseURL,
      context,
      page,
      devtools,
      guard,
      isReusable: true,
      listeners: [],
    };
    await watch(entry, new URL(options.baseURL).origin);
    const spoil = () => {
      entry.isReusable = false;
    };
    for (const name of ['on', 'once'] as const) onCall(page, name, (...heard) => entry.listeners.push(heard as never));
    for (const name of LASTING.page) onCall(page, name, spoil);
    for (const name of LASTING.context) onCall(context, name, spoil);
    const { clock } = page;
    Object.defineProperty(page, 'clock', {
      get: () => {
        spoil();
        return clock;
      },
    });
    return entry;
  }
}

function onCall<Name extends string>(
  target: Record<Name, unknown>,
  name: Name,
  before: (...args: unknown[]) => void,
): void {
  const method = target[name] as (...args: unknown[]) => unknown;
  target[name] = (...args: unknown[]) => {
    before(...args);
    return method.apply(target, args);
  };
}

async function watch(entry: Entry, origin: string): Promise<void> {
  const { context } = entry;
  context.on('console', (message) => entry.guard.onConsole(message));
  context.on('weberror', (error) => entry.guard.onError(error));
  context.on('request', (request) => entry.guard.onRequest(request, origin));
  await context.exposeBinding('reportViolation', (_, violation: string) => entry.guard.onViolation(violation));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
      (window as unknown as { reportViolation: (text: string) => void }).reportViolation(
        `${violatedDirective} ${blockedURI} (${sourceFile}:${lineNumber})`,
      ),
    );
  });
}

/**
 * Leaves the application and removes everything that it stored. The guard still sees what the page does meanwhile. Returns whether
 * this worked; it does not while the page leaves for another address, for example.
 */
async function clean({ context, page, devtools, listeners }: Entry): Promise<boolean> {
  for (const [event, listener] of listeners.splice(0)) (page as unknown as EventEmitter).off(event, listener);
  try {
    // The storage of a tab can be cleared only from a document of its origin.
    await page.goto('/favicon.svg');
    await page.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
    await page.goto('about:blank');
    await devtools.send('Page.resetNavigationHistory');
    await context.clearCookies();
    return true;
  } catch {
    return false;
  }
}
