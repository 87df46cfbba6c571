/** The ranges of a history in days, shortest first. */
export const HISTORY_DAYS = [1, 7, 30, 60] as const;
export type HistoryDays = (typeof HISTORY_DAYS)[number];
