import type { ConsoleMessage, Request, WebError } from '@playwright/test';

const FAILED_LOAD = /^Failed to load resource: (?:.*status of (\d+)|net::ERR_(\w+))/;

/** The API of devices, for `Guard.expect`. */
export const DEVICES = /^\/api\/devices(\/|$)/;

/** A failed request that a test causes on purpose. */
interface Expected {
  /** The status, or 'broken' if there is no response. */
  outcome: number | 'broken';
  path: RegExp;
}

/** Watches browsers for events that no test may cause. */
export class Guard {
  readonly offences: string[] = [];
  private readonly expected: Expected[] = [
    // The visits request a CSP and a person that do not exist.
    { outcome: 404, path: /^\/api\/(csps|jobs|users)\/0{8}-/ },
    // A stream that ends with its session may be reopened once before the page is left.
    { outcome: 401, path: /^\/api\/events$/ },
  ];

  /** Permits requests to `path` with this outcome from now on. */
  expect(outcome: Expected['outcome'], path: RegExp): void {
    this.expected.push({ outcome, path });
  }

  onError(error: WebError): void {
    this.offences.push(`uncaught: ${error.error().stack ?? error.error()}`);
  }

  onViolation(violation: string): void {
    this.offences.push(`CSP: ${violation}`);
  }

  onConsole(message: ConsoleMessage): void {
    if (message.type() !== 'error') return;
    const { url } = message.location();
    const failed = FAILED_LOAD.exec(message.text());
    if (failed) {
      const outcome = failed[1] ? Number(failed[1]) : 'broken';
      const { pathname } = new URL(url);
      if (this.expected.some((one) => one.outcome === outcome && one.path.test(pathname))) return;
    }
    this.offences.push(`console: ${message.text()} (${url})`);
  }

  onRequest(request: Request, origin: string): void {
    const url = new URL(request.url());
    if (url.protocol.startsWith('http') && url.origin !== origin) this.offences.push(`foreign request: ${url.href}`);
  }
}
