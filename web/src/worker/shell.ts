/** The cache for a reload without a network: the page of the application and its files, which contain no user data. */

const CACHE = 'shell';
/** All addresses share this page. */
const PAGE = '/';
const NAMED_FILES = /(?:src|href)="(\/assets\/[^"]+)"/g;

/** Replaces the cached release by this page and its files. If one of them cannot be read, the previous release is kept. */
export async function keepShell(page: Response): Promise<void> {
  if (!isFromServer(page) || !page.headers.get('content-type')?.startsWith('text/html')) return;
  const html = await page.text();
  const files = new Set(Array.from(html.matchAll(NAMED_FILES), ([, file = '']) => file));
  const cache = await caches.open(CACHE);
  await Promise.all(Array.from(files, (file) => keepFile(cache, file)));
  await cache.put(PAGE, withoutHints(html, page));
  for (const { url } of await cache.keys()) {
    const { pathname } = new URL(url);
    if (pathname !== PAGE && !files.has(pathname)) await cache.delete(url);
  }
}

/** Returns the page from the network and caches it, or the cached page if there is no network. */
export async function openPage(load: () => Promise<Response>): Promise<{ page: Response; kept?: Promise<void> }> {
  try {
    const page = await load();
    return { page, kept: keepShell(page.clone()) };
  } catch (error) {
    const page = await readKept(PAGE);
    if (!page) throw error;
    return { page };
  }
}

/** Returns a file of the application. Its name contains a hash of its content, so a cached file is never outdated. */
export async function openFile(request: Request): Promise<Response> {
  return (await readKept(request.url)) ?? fetch(request);
}

async function keepFile(cache: Cache, file: string): Promise<void> {
  if (await cache.match(file, { ignoreVary: true })) return;
  const response = await fetch(file);
  if (!isFromServer(response)) throw new Error(`${file} cannot be kept: ${response.status}`);
  await cache.put(file, response);
}

async function readKept(address: string): Promise<Response | undefined> {
  const cache = await caches.open(CACHE);
  return cache.match(address, { ignoreVary: true });
}

/** Removes the preload hints of the header, which belong to one address and one user. */
function withoutHints(html: string, { headers }: Response): Response {
  const kept = new Headers(headers);
  kept.delete('link');
  return new Response(html, { headers: kept });
}

/** Whether the response comes from the server: a proxy may return its own page, such as a login. */
function isFromServer(response: Response): boolean {
  return response.ok && response.headers.has('x-app-version');
}
