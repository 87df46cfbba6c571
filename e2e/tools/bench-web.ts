import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, expect, type Page, type Request, test } from '@playwright/test';
import { HOST } from '../harness/loopback';
import { People } from '../harness/people';
import { Sillage } from '../harness/sillage';
import { Shell } from '../screens/shell';
import { PHONE } from '../screens/sizes';

const DEVICES = 5_000;
/** Number of rounds. Each round loads every page, so that load on the machine affects all pages alike. */
const ROUNDS = Number(process.env.ROUNDS ?? 9);
/** The emulated phone and its network. */
const CPU_SLOWDOWN = 4;
const BYTES_PER_SECOND = 10_000_000 / 8;
const LATENCY_MS = 40;

interface Load {
  /** Largest contentful paint in milliseconds since the address was opened. */
  lcp: number;
  requests: number;
  /** Compressed script and style. */
  bytes: number;
}

/** Loads an address on an emulated phone with an empty cache. */
async function load(
  browser: Browser,
  address: string,
  storageState: Awaited<ReturnType<typeof signIn>> | undefined,
  whenShown: (page: Page) => Promise<void>,
): Promise<Load> {
  const context = await browser.newContext({ ...PHONE, deviceScaleFactor: 2, ...(storageState && { storageState }) });
  const page = await context.newPage();
  const requests: Request[] = [];
  // The service worker takes its files from the browser's cache.
  context.on('request', (request) => !request.serviceWorker() && requests.push(request));
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: LATENCY_MS,
    downloadThroughput: BYTES_PER_SECOND,
    uploadThroughput: BYTES_PER_SECOND,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  await page.goto(address, { waitUntil: 'commit' });
  await whenShown(page);
  const lcp = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
          type: 'largest-contentful-paint',
          buffered: true,
        });
      }),
  );
  const styled = requests.filter((request) => ['script', 'stylesheet'].includes(request.resourceType()));
  const sizes = await Promise.all(styled.map((request) => request.sizes()));
  await context.close();
  return { lcp, requests: requests.length, bytes: sizes.reduce((sum, size) => sum + size.responseBodySize, 0) };
}

async function signIn(people: People) {
  return (await people.signIn('admin')).storageState();
}

/** Serves a page with one line, as a baseline for browser and network. */
async function serveEmptyPage(): Promise<{ address: string; stop: () => void }> {
  const server = createServer((_, answer) => {
    answer
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Empty</title><p>Nothing here</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo;
  return { address: `http://${HOST}:${port}/`, stop: () => server.close() };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;

test('the first load of the device list', async ({ browser, playwright }) => {
  const system = await Sillage.start({ devices: DEVICES, seed: 7, unplugged: [] });
  const empty = await serveEmptyPage();
  const people = new People(playwright.request, system.console, system.accounts);
  const session = await signIn(people);
  const listed = async (page: Page) => {
    await expect(page.locator('main a[href^="/devices/AC"]').first()).toBeVisible();
    await expect(new Shell(page).live).toHaveText('Live');
  };
  const yardstick: Load[] = [];
  const list: Load[] = [];
  // The first round only warms up the server and the disk.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const none = await load(browser, empty.address, undefined, (page) => expect(page.locator('p')).toBeVisible());
    const some = await load(browser, `${system.console}/devices`, session, listed);
    if (round > 0) {
      yardstick.push(none);
      list.push(some);
    }
  }
  empty.stop();
  await people.end();
  await system.stop();

  const times = list.map(({ lcp }) => lcp);
  const lcp = median(times);
  const unit = median(yardstick.map(({ lcp }) => lcp));
  const { requests, bytes } = list.at(-1) ?? { requests: 0, bytes: 0 };
  console.log(`
First load of the list of ${DEVICES} devices: CPU ${CPU_SLOWDOWN} times slower, 10 Mbit, ${LATENCY_MS} ms, median of ${ROUNDS}
  empty page    LCP ${seconds(unit)}
  device list   LCP ${seconds(lcp)} (${seconds(Math.min(...times))} to ${seconds(Math.max(...times))}), ${(lcp / unit).toFixed(1)} times the empty page
                ${requests} requests until it is live, ${(bytes / 1000).toFixed(0)} kB of compressed script and style`);
});
