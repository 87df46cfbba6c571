/** Where to go after sign-in. */

const KEY = 'return-url';
const NEVER = ['/signin', '/signout'];

/** A path on this origin that neither signs in nor out. */
export function isReturnUrl(url: string): boolean {
  if (!url.startsWith('/')) return false;
  const origin = 'https://here.invalid';
  // `URL.parse` is newer than the supported browsers.
  if (!URL.canParse(url, origin)) return false;
  const parsed = new URL(url, origin);
  // A second slash or a backslash would name another host, and a path that parses to another one could disguise it.
  if (parsed.origin !== origin || `${parsed.pathname}${parsed.search}${parsed.hash}` !== url) return false;
  return !NEVER.some((path) => parsed.pathname === path || parsed.pathname.startsWith(`${path}/`));
}

export function storeReturnUrl(url: string): void {
  if (isReturnUrl(url)) sessionStorage.setItem(KEY, url);
}

/** Returns and removes the stored URL. */
export function takeReturnUrl(): string | undefined {
  const url = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return url !== null && isReturnUrl(url) ? url : undefined;
}
