/** The cache for a reload without a network: the page of the application and its files, which contain no user data. */

const CACHE = 'shell';
/** All addresses share this page. */
const PAGE = '/';
/** How long a server may take to send the page if there is a cached one. */
const PATIENCE_MS = 4_000;
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

/** Returns the page from the network and caches it, or the cached page if the network fails or does not answer. */
export async function openPage(load: () => Promise<Response>): Promise<{ page: Response; kept?: Promise<void> }> {
  try {
    const loading = load();
    const answer = await answerInTime(loading);
    const late = answer ? undefined : await readKept(PAGE);
    if (late) {
      loading.catch(() => undefined);
      return { page: late };
    }
    const page = answer ?? (await loading);
    return { page, kept: keepShell(page.clone()) };
  } catch (error) {
    const page = await readKept(PAGE);
    if (!page) throw error;
    return { page };
  }
}

/** The response, or undefined if there is none after a while. */
async function answerInTime(loading: Promise<Response>): Promise<Response | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
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
