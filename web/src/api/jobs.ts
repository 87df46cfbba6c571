import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call, callForFile } from './http';
import type { Job, JobProgress, ReportJobData } from './schema.gen';

/** Events report progress sooner, except while the bus is down. */
const POLL_MS = 2_000;

const JOBS = ['jobs'] as const;
const LIST = [...JOBS, 'list'] as const;
const RUNNING = [...JOBS, 'running'] as const;

/** Jobs, newest first, read at intervals while one of them runs; each page contains the cursor of the next. */
export const jobsQuery = infiniteQueryOptions({
  queryKey: LIST,
  queryFn: ({ pageParam, signal }) =>
    call('GET /api/jobs', { query: { ...(pageParam !== null && { before: pageParam }) }, signal }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next }) => next,
  refetchInterval: ({ state }) =>
    state.data?.pages.some(({ jobs }) => jobs.some((job) => job.state === 'running')) ? POLL_MS : false,
});

/** Whether one of the user's jobs runs. */
export const runningJobsQuery = queryOptions({
  queryKey: RUNNING,
  queryFn: ({ signal }) => call('GET /api/jobs', { query: { running: true, limit: 1 }, signal }),
  select: ({ jobs }) => jobs.length > 0,
  refetchInterval: ({ state }) => (state.data?.jobs.length ? POLL_MS : false),
});

/** The targets of a job in order, read at intervals while it runs; each page contains the position of the next. */
export function jobTargetsQuery(id: string, isRunning: boolean) {
  return infiniteQueryOptions({
    queryKey: [...JOBS, id, 'targets'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/jobs/{id}/targets', { path: { id }, query: { from: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    refetchInterval: isRunning ? POLL_MS : false,
  });
}

/** A job, read at intervals until it ends. */
export function jobQuery(id: string) {
  return queryOptions({
    queryKey: [...JOBS, id],
    queryFn: ({ signal }) => call('GET /api/jobs/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? POLL_MS : false),
  });
}

/** A report of the devices of a job, with what it changed. */
export function reportJob(id: string, query: ReportJobData['query'], signal: AbortSignal): Promise<Blob> {
  return callForFile('GET /api/jobs/{id}/report', { path: { id }, query, signal });
}

/** Cancels a job: no further targets are started. */
export function cancelJob(id: string): Promise<Job> {
  return call('POST /api/jobs/{id}/cancel', { path: { id } });
}

/** Retries the unfinished targets of a job. Each end of the job is another reason to do so. */
export function retryJob({ id, endedAt }: Job): Promise<Job> {
  return call('POST /api/jobs/{id}/retry', { path: { id }, decidedOn: endedAt });
}

/** Starts the undo of an ended job, which is another job. */
export async function undoJob(client: QueryClient, id: string): Promise<Job> {
  const undo = await call('POST /api/jobs/{id}/undo', { path: { id } });
  void client.invalidateQueries({ queryKey: jobQuery(id).queryKey });
  return undo;
}

/** Stores the response to a start, cancel or retry. A read in progress is older and is cancelled. */
export async function applyJob(client: QueryClient, job: Job): Promise<void> {
  const { queryKey } = jobQuery(job.id);
  await client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, job);
  for (const key of [RUNNING, LIST]) void client.invalidateQueries({ queryKey: key });
}

/** Reads the displayed jobs again. */
export function rereadJobs(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: JOBS });
}

/** Stores the progress from an event. When a job has begun or ended, the affected queries are read again. */
export function applyJobProgress(client: QueryClient, { id, state, counts }: JobProgress): void {
  const { queryKey } = jobQuery(id);
  client.setQueryData<Job>(queryKey, (job) => job && { ...job, counts });
  const known = client.getQueryData(runningJobsQuery.queryKey)?.jobs.some((job) => job.id === id) ?? false;
  if (state !== 'running') void client.invalidateQueries({ queryKey });
  if (known !== (state === 'running'))
    for (const key of [RUNNING, LIST]) void client.invalidateQueries({ queryKey: key });
}
