/** The filters that each list had last, by its path, as long as the tab is open and nobody signs out. */

const PREFIX = 'filters:';

export type Filters = Record<string, string>;

/** Takes the place of what was remembered for this path; no filters are no memory. */
export function rememberFilters(path: string, filters: Filters): void {
  if (Object.keys(filters).length > 0) sessionStorage.setItem(PREFIX + path, JSON.stringify(filters));
  else sessionStorage.removeItem(PREFIX + path);
}

/** What was remembered for this path, once: who restores it remembers it anew. */
export function takeFilters(path: string): Filters | undefined {
  const text = sessionStorage.getItem(PREFIX + path);
  sessionStorage.removeItem(PREFIX + path);
  return text === null ? undefined : readFilters(text);
}

/** The next one in this tab may be somebody else. */
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
