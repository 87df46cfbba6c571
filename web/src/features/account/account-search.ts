import { oneOf } from '@/lib/search-state';

export const TABS = ['personal', 'password', 'time-format', 'sessions'] as const;
export type AccountTab = (typeof TABS)[number];

/** The query string of /account; without a tab it is the first. */
export function readAccountSearch({ tab }: { tab?: unknown }): { tab?: AccountTab | undefined } {
  return { tab: oneOf(TABS.slice(1), tab) };
}
