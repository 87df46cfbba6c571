import type { Page } from '@playwright/test';

/** Ends the hash in the name of a file of the other release. */
const OTHER = 'OTHER';
const FILE = /((?:assets\/|\.\/)[\w.~-]+?)(\.(?:js|css))/g;

/**
 * From now on the page reaches a server with another build of the application: all its files have other names, those of the
 * first build are missing, and responses name another version.
 */
export async function release(page: Page): Promise<void> {
  await page.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/api/events') return route.fallback();
    const isFile = pathname.startsWith('/assets/') && /\.(js|css)$/.test(pathname);
    if (isFile && !pathname.includes(OTHER)) return route.fulfill({ status: 404, body: '' });
    const response = await route.fetch({ url: route.request().url().replace(OTHER, '') });
    const headers: Record<string, string> = { ...response.headers(), 'x-app-version': OTHER };
    // Links to preloads would name the first build.
    delete headers.link;
    delete headers['content-encoding'];
    const isText = isFile || headers['content-type']?.startsWith('text/html');
    if (!isText) return route.fulfill({ response, headers });
    const text = (await response.text()).replace(FILE, `$1${OTHER}$2`);
    const meta = /(<meta name="app-version" content=")[^"]*/;
    return route.fulfill({ response, headers, body: text.replace(meta, `$1${OTHER}`) });
  });
}

/**
 * Ends what {@link release} began. What the page still loads must not reach the server, which does not have the files of the other build,
 * nor be answered when the test has ended.
 */
export async function endRelease(page: Page): Promise<void> {
  await page.goto('about:blank');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
