import type { AuditEntry } from '@/api/schema.gen';

/** A row of the list: one change, or all changes that one job made. */
export interface AuditRow {
  /** The change; for a job the change that started it, or its newest change. */
  entry: AuditEntry;
  /** Set for a job whose changes are grouped. */
  folded?: { job: string; count: number; failed: number };
}

/** Groups the changes of a job in one row, together with the change that started it if the user may see that. */
export function foldJobs(entries: readonly AuditEntry[]): AuditRow[] {
  const changes = Map.groupBy(entries.filter(isOfJob), ({ job }) => job);
  return entries.flatMap((entry) => {
    const { job } = entry;
    if (job === null) return [{ entry }];
    if (!isOfJob(entry)) {
      const count = startedCount(entry);
      return [count === undefined ? { entry } : { entry, folded: { job, count, failed: 0 } }];
    }
    const made = changes.get(job) ?? [];
    if (made.length === 1) return [{ entry }];
    if (made[0] !== entry) return [];
    const failed = made.filter(({ result }) => result === 'failed').length;
    return [{ entry, folded: { job, count: made.length, failed } }];
  });
}

/** Whether a job made the change. Starting, cancelling or retrying a job is a change whose target is the job. */
export function isOfJob({ job, target }: AuditEntry): boolean {
  return job !== null && target.kind !== 'job';
}

/** The number of devices of a started job; undefined for other changes. */
function startedCount({ changes }: AuditEntry): number | undefined {
  const count = changes.find(({ field }) => field === 'devices')?.after;
  return typeof count === 'number' ? count : undefined;
}
