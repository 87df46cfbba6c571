/** What a reload without a network needs: the page of the application and the files that it names. Nobody's data is in them. */

const CACHE = 'shell';
/** Every address has the same page. */
const PAGE = '/';
const NAMED_FILES = /(?:src|href)="(\/assets\/[^"]+)"/g;

/** Replaces what is kept by this page and its files. What is kept stays when one of them cannot be read. */
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

/** The page from the network, which is kept, or else the page that was kept last. */
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

/** A file of the application; its name carries a hash of its content, so a kept one is never old. */
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

/** The hints in its header are those of one address, and of what one person sees there. */
function withoutHints(html: string, { headers }: Response): Response {
  const kept = new Headers(headers);
  kept.delete('link');
  return new Response(html, { headers: kept });
}

/** A proxy in front may answer with a page of its own, such as a login. */
function isFromServer(response: Response): boolean {
  return response.ok && response.headers.has('x-app-version');
}
