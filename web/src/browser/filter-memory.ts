/** The last filters of each list by path, kept while the tab is open and until sign-out. */

const PREFIX = 'filters:';

export type Filters = Record<string, string>;

/** Replaces the filters of this path, or removes them if there are none. */
export function rememberFilters(path: string, filters: Filters): void {
  if (Object.keys(filters).length > 0) sessionStorage.setItem(PREFIX + path, JSON.stringify(filters));
  else sessionStorage.removeItem(PREFIX + path);
}

/** Returns and removes the filters of this path; restoring them stores them again. */
export function takeFilters(path: string): Filters | undefined {
  const text = sessionStorage.getItem(PREFIX + path);
  sessionStorage.removeItem(PREFIX + path);
  return text === null ? undefined : readFilters(text);
}

/** The next user of this tab may be another person. */
export function forgetFilters(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  }
}

function readFilters(text: string): Filters | undefined {
  try {
    const filters: unknown = JSON.parse(text);
    if (typeof filters !== 'object' || filters === null) return undefined;
    return Object.fromEntries(Object.entries(filters).filter(([, value]) => typeof value === 'string'));
  } catch {
    return undefined;
  }
}
