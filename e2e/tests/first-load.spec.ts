import type { Page, Request } from '@playwright/test';
import { EVENTS, type FaultProxy } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { DeviceListScreen } from '../screens/device-list';
import { DESK, PHONE } from '../screens/sizes';

const MOST_REQUESTS = 25;
const MOST_BYTES = 220_000;
/** A page without requests for this long is complete. */
const QUIET_MS = 1_500;

test.use({ serviceWorkers: 'allow' });

/** Waits until only the stream is in progress and no further request is sent. */
async function waitUntilQuiet(proxy: FaultProxy): Promise<void> {
  const state = () => `${proxy.count(/^/)} of which ${proxy.countOpen(/^/) - proxy.countOpen(EVENTS)} open`;
  let before = '';
  await expect
    .poll(
      () => {
        const now = state();
        const isQuiet = now === before && now.endsWith(' 0 open');
        before = now;
        return isQuiet;
      },
      { intervals: [QUIET_MS] },
    )
    .toBe(true);
}

/** Counts the compressed bytes of script and style that a page loads from now on. */
function countBytes(page: Page): () => Promise<number> {
  const loaded: Request[] = [];
  page.on('requestfinished', (request) => {
    if (['script', 'stylesheet'].includes(request.resourceType())) loaded.push(request);
  });
  return async () => {
    const sizes = await Promise.all(loaded.map((request) => request.sizes()));
    return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0);
  };
}

for (const [place, size] of Object.entries({ desk: DESK, phone: PHONE })) {
  test(`the first load of the device list takes at most 25 requests and 220 kB of script and style, ${place}`, async ({
    open,
    frontProxy,
  }) => {
    const page = await open('admin', { ...size, through: frontProxy });
    const bytes = countBytes(page);
    // Without this, a connected stream makes the page read the list again after each change in a busy fleet.
    frontProxy.hold(EVENTS);
    await page.goto('/devices');
    await expect(page.locator('main a[href^="/devices/AC"]').first()).toBeVisible();
    await page.evaluate(() => navigator.serviceWorker.ready);
    await waitUntilQuiet(frontProxy);
    expect(frontProxy.count(/^/)).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(await bytes()).toBeGreaterThan(MOST_BYTES / 2);
    expect(await bytes()).toBeLessThanOrEqual(MOST_BYTES);
  });
}

test('session, list and counts are requested with the document and not again', async ({ open, people, frontProxy }) => {
  // A person that no other test uses, because other tests change list preferences.
  const api = await people.signIn('otherCspAdmin');
  // Once the stream is connected, the page reads again because data may have changed before.
  frontProxy.hold(EVENTS);
  const list = /^GET \/api\/devices\?/;
  for (const pageSize of [5, 25]) {
    await api.put('/api/account/list-preferences', { data: { pageSizes: { devices: pageSize } } });
    const page = await open('otherCspAdmin', { through: frontProxy });
    const release = frontProxy.hold(/^GET \/assets\/.*\.js/);
    const before = [/^GET \/api\/session/, list, /^GET \/api\/devices\/counts/].map((call) => frontProxy.count(call));
    await page.goto('/devices', { waitUntil: 'commit' });
    const calls = [/^GET \/api\/session/, list, /^GET \/api\/devices\/counts/];
    const news = () => calls.map((call, at) => frontProxy.count(call) - (before[at] ?? 0));
    await expect.poll(news).toEqual([1, 1, 1]);
    release();
    await expect(new DeviceListScreen(page).rows.first()).toBeVisible();
    await waitUntilQuiet(frontProxy);
    expect(news()).toEqual([1, 1, 1]);
    // An open page would read the session when its held stream times out.
    await page.close();
  }
});

test('a signed-out user gets the files of the sign-in page and requests no list', async ({ open, frontProxy }) => {
  const page = await open(null, { through: frontProxy });
  const document = await page.goto('/devices');
  expect(document?.headers().link).toContain('SignInPage');
  expect(document?.headers().link).not.toContain('DevicesPage');
  await expect(page).toHaveURL('/signin');
  await waitUntilQuiet(frontProxy);
  expect(frontProxy.count(/^GET \/api\/devices/)).toBe(0);
});

test('a page is HTML and is never stored', async ({ open }) => {
  const page = await open(null);
  const headers = (await page.goto('/signin'))?.headers();
  expect(headers?.['content-type']).toBe('text/html; charset=utf-8');
  expect(headers?.['cache-control']).toBe('no-store');
});
