import { pageNumber } from '@/domain/search-state';

/** The query string of the schedule's page: the entry that is open at first. */
export function readScheduleSearch({ frame }: { frame?: unknown }): { frame?: number | undefined } {
  return { frame: pageNumber(frame) };
}
