import type { Job, JobSummary } from '@/api/schema.gen';

/** More reasons are not listed. */
const MOST_REASONS = 3;

/** Whether an undo has ended without a device that it could restore. */
export function isNothingUndone({ undoes, state, counts }: JobSummary): boolean {
  return undoes !== null && state !== 'running' && counts.done === 0 && counts.left > 0;
}

/** Why devices of a job are not done. */
export function reasonsOf({ unfinished }: Job): string[] {
  return [...new Set(unfinished.flatMap(({ reason }) => reason ?? []))].slice(0, MOST_REASONS);
}
