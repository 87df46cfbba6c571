/** A list's state in the query string. It survives reload, Back and sharing. */

export const PAGE_SIZES = [5, 25, 50] as const;
export type PageSize = (typeof PAGE_SIZES)[number];

export const ORDERS = ['asc', 'desc'] as const;
export type Order = (typeof ORDERS)[number];

/** The router's own parser reads `?csp=123` as a number, which loses a text filter. Here every value is a string, and the first of a repeated key wins. */
export function parseSearch(query: string): Record<string, string> {
  const search: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query)) {
    if (!Object.hasOwn(search, key)) search[key] = value;
  }
  return search;
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') params.set(key, String(value));
  }
  const query = params.toString();
  return query && `?${query}`;
}

/** `raw` if it is one of the allowed values, compared as strings. */
export function oneOf<const T extends string | number>(allowed: readonly T[], raw: unknown): T | undefined {
  return allowed.find((value) => String(value) === String(raw));
}

/** A page number of at most seven digits, which every consumer can represent. */
export function pageNumber(raw: unknown): number | undefined {
  return /^[1-9]\d{0,6}$/.test(String(raw)) ? Number(raw) : undefined;
}

/** The server accepts no more. */
const MAX_FILTER_LENGTH = 64;

/** A trimmed text filter; undefined if it is empty. */
export function textFilter(raw: unknown, longest = MAX_FILTER_LENGTH): string | undefined {
  if (typeof raw !== 'string') return undefined;
  return raw.trim().slice(0, longest) || undefined;
}
