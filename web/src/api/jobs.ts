import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { Job, JobProgress } from './schema.gen';

/** Events report progress sooner, but not that of jobs on another node. */
const POLL_MS = 2_000;

/** A job, read at intervals until it ends. */
export function jobQuery(id: string) {
  return queryOptions({
    queryKey: ['jobs', id],
    queryFn: ({ signal }) => call('GET /api/jobs/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_MS : false),
  });
}

/** Cancels a job: no further targets are started. */
export function cancelJob(id: string): Promise<Job> {
  return call('POST /api/jobs/{id}/cancel', { path: { id } });
}

/** Retries the unfinished targets of a job. */
export function retryJob(id: string): Promise<Job> {
  return call('POST /api/jobs/{id}/retry', { path: { id } });
}

/** Stores the response to a start, cancel or retry. A read in progress is older and is cancelled. */
export async function applyJob(client: QueryClient, job: Job): Promise<void> {
  const { queryKey } = jobQuery(job.id);
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, job);
}

/** Stores the progress from an event. When a job has ended, it is read again with its failed targets. */
export function applyJobProgress(client: QueryClient, { id, state, counts }: JobProgress): void {
  const { queryKey } = jobQuery(id);
  client.setQueryData<Job>(queryKey, (job) => job && { ...job, counts });
  if (state !== 'running') void client.invalidateQueries({ queryKey });
}
