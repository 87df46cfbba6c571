/** A time of the API, as in `2026-11-20T15:41:00Z`. */
export function instant(text: string): Date {
  return new Date(text);
}

/** A time of the API in milliseconds since 1970. */
export function epochMs(text: string): number {
  return instant(text).getTime();
}
