import { vi } from 'vitest';

/** Brings the tab to the front, or covers it. */
export function showTab(seen: boolean): void {
  vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(seen ? 'visible' : 'hidden');
  document.dispatchEvent(new Event('visibilitychange'));
}
