import { FakeCaches } from '@test/fake-caches';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keepShell, openFile, openPage } from './shell';

const A = ['index-A.js', 'kit-1.js', 'index-A.css'];
const B = ['index-B.js', 'kit-1.js', 'index-B.css'];

let caches: FakeCaches;
/** The server's responses; undefined if there is no network. */
let server: ((path: string) => Response) | undefined;

beforeEach(() => {
  caches = new FakeCaches();
  vi.stubGlobal('caches', caches);
  vi.stubGlobal('fetch', async (input: string | Request) => {
    if (!server) throw new TypeError('Failed to fetch');
    return server(new URL(input instanceof Request ? input.url : input, 'http://console.test').pathname);
  });
});

afterEach(() => {
  vi.useRealTimers();
});

function page(files: string[], headers: Record<string, string> = { 'x-app-version': '1' }): Response {
  const html = `<link rel="icon" href="/favicon.svg"><link rel="preload" href="/api/session">${files
    .map((file) =>
      file.endsWith('.css') ? `<link href="/assets/${file}">` : `<script src="/assets/${file}"></script>`,
    )
    .join('')}`;
  return new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8', ...headers } });
}

/** A release with these files; other paths return 404. */
function release(files: string[]) {
  return (path: string) => {
    const known = files.some((file) => path === `/assets/${file}`);
    return new Response(known ? path : '', { status: known ? 200 : 404, headers: { 'x-app-version': '1' } });
  };
}

const kept = (files: string[]) => ['/', ...files.map((file) => `/assets/${file}`)].sort();
const read = async () => (await openPage(() => Promise.reject(new TypeError('Failed to fetch')))).page.text();

test('the page and its files are cached, and no API response is', async () => {
  server = release(A);
  await keepShell(page(A));
  expect(caches.paths).toEqual(kept(A));
});

test('the stored page has its security policy, and no preload links of a user', async () => {
  server = release(A);
  await keepShell(page(A, { 'x-app-version': '1', 'content-security-policy': "default-src 'self'", link: '</api/x>' }));
  const { page: opened } = await openPage(() => Promise.reject(new TypeError('Failed to fetch')));
  expect(opened.headers.get('content-security-policy')).toBe("default-src 'self'");
  expect(opened.headers.get('link')).toBeNull();
});

test('a new release replaces the one before it', async () => {
  server = release(A);
  await keepShell(page(A));
  server = release(B);
  await keepShell(page(B));
  expect(caches.paths).toEqual(kept(B));
  expect(await read()).toBe(await page(B).text());
});

test('an incomplete download of a release keeps the previous one', async () => {
  server = release(A);
  await keepShell(page(A));
  server = release(['index-B.js']);
  await expect(keepShell(page(B))).rejects.toThrow('cannot be kept: 404');
  expect(caches.paths).toEqual(expect.arrayContaining(kept(A)));
  expect(await read()).toBe(await page(A).text());
});

test.each([
  ['a page of a proxy', page(['login.js'], {})],
  ['an error', new Response('', { status: 503, headers: { 'content-type': 'text/html', 'x-app-version': '1' } })],
  ['no page', new Response('ok', { headers: { 'content-type': 'text/plain', 'x-app-version': '1' } })],
])('%s is not cached', async (_, response) => {
  server = release(A);
  await keepShell(page(A));
  const opened = await openPage(async () => response);
  await opened.kept;
  expect(opened.page).toBe(response);
  expect(caches.paths).toEqual(kept(A));
});

test('a file returned by a proxy is not cached', async () => {
  server = () => new Response('Please sign in');
  await expect(keepShell(page(A))).rejects.toThrow();
  expect(caches.paths).toEqual([]);
});

test('without a network the page and its files are read from the cache', async () => {
  server = release(A);
  const { page: opened, kept } = await openPage(async () => page(A));
  await kept;
  expect(await opened.text()).toBe(await page(A).text());
  server = undefined;
  expect(await read()).toBe(await page(A).text());
  expect(await (await openFile(new Request('http://console.test/assets/index-A.js'))).text()).toBe(
    '/assets/index-A.js',
  );
});

test('a network that does not answer for 4 seconds is like none, unless no page is cached', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let answer = (_: Response) => {};
  const slow = () => openPage(() => new Promise((resolve) => (answer = resolve)));
  const first = slow();
  await vi.advanceTimersByTimeAsync(60_000);
  server = release(A);
  answer(page(A));
  await (await first).kept;
  expect(caches.paths).toEqual(kept(A));

  const opened = vi.fn();
  const second = slow().then(opened);
  await vi.advanceTimersByTimeAsync(3_999);
  expect(opened).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  await second;
  expect(await opened.mock.calls[0]?.[0].page.text()).toBe(await page(A).text());
});

test('other files are read from the network and fail without it', async () => {
  server = release(['lazy.js']);
  const lazy = () => openFile(new Request('http://console.test/assets/lazy.js'));
  expect(await (await lazy()).text()).toBe('/assets/lazy.js');
  expect(caches.paths).toEqual([]);
  server = undefined;
  await expect(lazy()).rejects.toThrow('Failed to fetch');
  await expect(read()).rejects.toThrow('Failed to fetch');
});
