/** The value that a filter in double quotes matches as a whole; undefined for a filter that matches any part of a value. */
export function exactValue(filter: string): string | undefined {
  return filter.length > 2 && filter.startsWith('"') && filter.endsWith('"') ? filter.slice(1, -1) : undefined;
}

/** The text of a filter, without the quotes of an exact one. */
export function filterText(filter: string): string {
  return exactValue(filter) ?? filter;
}
