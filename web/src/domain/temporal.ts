import type { Temporal } from 'temporal-polyfill';

export type TemporalApi = typeof Temporal;

/** The browser's `Temporal`, or the polyfill for browsers without it. */
export async function loadTemporal(): Promise<TemporalApi> {
  const native = (globalThis as { Temporal?: TemporalApi }).Temporal;
  return native ?? (await import('temporal-polyfill')).Temporal;
}
