import type { AuditEntry } from '@/api/schema.gen';

/** A row of the list: one change, or all changes that one job made. */
export interface AuditRow {
  /** The change; of a job what started it, or the newest change that it made. */
  entry: AuditEntry;
  /** Set for a job whose changes are folded. */
  folded?: { job: string; count: number; failed: number };
}

/** Folds the changes that a job made into one row. Whoever may see what started the job finds them there. */
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

/** Whether a job made the change; what started, cancelled or retried it has the job as its target. */
export function isOfJob({ job, target }: AuditEntry): boolean {
  return job !== null && target.kind !== 'job';
}

/** For how many devices a job was started; undefined of other changes. */
function startedCount({ changes }: AuditEntry): number | undefined {
  const count = changes.find(({ field }) => field === 'devices')?.after;
  return typeof count === 'number' ? count : undefined;
}
