import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { Job, JobProgress } from './schema.gen';

/** The stream tells of progress sooner, but not of what another node does. */
const POLL_MS = 2_000;

/** Long work over many devices, followed until it ends. */
export function jobQuery(id: string) {
  return queryOptions({
    queryKey: ['jobs', id],
    queryFn: ({ signal }) => call('GET /api/jobs/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_MS : false),
  });
}

/** Nothing more of it is begun. */
export function cancelJob(id: string): Promise<Job> {
  return call('POST /api/jobs/{id}/cancel', { path: { id } });
}

/** Begins again with what is not done. */
export function retryJob(id: string): Promise<Job> {
  return call('POST /api/jobs/{id}/retry', { path: { id } });
}

/** Takes over the answer to a start, a cancel or a retry. What a read that is under way will answer is older. */
export async function applyJob(client: QueryClient, job: Job): Promise<void> {
  const { queryKey } = jobQuery(job.id);
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, job);
}

/** Takes over what the stream told. That a job has ended is read with all that failed. */
export function applyJobProgress(client: QueryClient, { id, state, counts }: JobProgress): void {
  const { queryKey } = jobQuery(id);
  client.setQueryData<Job>(queryKey, (job) => job && { ...job, counts });
  if (state !== 'running') void client.invalidateQueries({ queryKey });
}
