import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';

const REMEMBERED_MS = 60_000;

/** Whether this tab has just saved the schedule of a device. */
export function savedScheduleQuery(dsn: string) {
  return queryOptions<boolean>({
    queryKey: ['saved-schedules', dsn],
    queryFn: skipToken,
    initialData: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: REMEMBERED_MS,
  });
}

export function rememberSavedSchedule(client: QueryClient, dsn: string): void {
  client.setQueryData(savedScheduleQuery(dsn).queryKey, true);
}
