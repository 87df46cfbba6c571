import { HISTORY_DAYS, type HistoryDays } from '@/domain/history-days';
import { oneOf } from '@/domain/search-state';

export const DEFAULT_DAYS = 60 satisfies HistoryDays;

/** The query string of the device page: the days of its history. */
export function readHistorySearch({ history }: { history?: unknown }): { history?: HistoryDays | undefined } {
  const days = oneOf(HISTORY_DAYS, history);
  return { history: days === DEFAULT_DAYS ? undefined : days };
}
