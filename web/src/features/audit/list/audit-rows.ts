import type { AuditQuery } from '@/api/audit';
import type { AuditEntry } from '@/api/schema.gen';

/** A row of the list: one change, or all changes that one job made or one import caused. */
export interface AuditRow {
  /** The change; for a group the change that started it, or its newest change. */
  entry: AuditEntry;
  /** Set for grouped changes. */
  folded?: Group & { count: number; failed: number };
}

/** What the changes of a group have in common. */
type Group = { of: Pick<AuditQuery, 'job' | 'cause'> };

/** Groups the changes of a job or an import in one row, together with the change that started it if the user may see that. */
export function foldGroups(entries: readonly AuditEntry[]): AuditRow[] {
  const changes = Map.groupBy(entries.filter(isInGroup), groupId);
  return entries.flatMap((entry) => {
    const of = groupOf(entry);
    if (!of) return [{ entry }];
    if (!isInGroup(entry)) {
      const count = startedCount(entry);
      return [count === undefined ? { entry } : { entry, folded: { of, count, failed: 0 } }];
    }
    const made = changes.get(groupId(entry)) ?? [];
    if (made.length === 1) return [{ entry }];
    if (made[0] !== entry) return [];
    const failed = made.filter(({ result }) => result === 'failed').length;
    return [{ entry, folded: { of, count: made.length, failed } }];
  });
}

/** Whether a job made the change, or an import caused it. Starting, cancelling or retrying a job is a change whose target is the job. */
export function isInGroup({ job, cause, target }: AuditEntry): boolean {
  return cause !== null || (job !== null && target.kind !== 'job');
}

const groupId = ({ job, cause }: AuditEntry) => cause ?? job;

function groupOf(entry: AuditEntry): Group['of'] | undefined {
  const { id, job, cause } = entry;
  if (cause !== null) return { cause };
  if (job !== null) return { job };
  return startedCount(entry) === undefined ? undefined : { cause: id };
}

/** The number of changes that a job or an import started; undefined for other changes. */
function startedCount({ changes, target }: AuditEntry): number | undefined {
  if (target.kind === 'report') return undefined;
  const count = changes.find(({ field }) => field === 'devices')?.after;
  return typeof count === 'number' ? count : undefined;
}
