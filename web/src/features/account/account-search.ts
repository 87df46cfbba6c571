import { oneOf } from '@/domain/search-state';

export const TABS = [
  'personal',
  'password',
  'time-format',
  'csv',
  'sessions',
  'second-factor',
  'tokens',
  'digest',
] as const;
export type AccountTab = (typeof TABS)[number];

/** The query string of /account; the first tab by default. */
export function readAccountSearch({ tab }: { tab?: unknown }): { tab?: AccountTab | undefined } {
  return { tab: oneOf(TABS.slice(1), tab) };
}
