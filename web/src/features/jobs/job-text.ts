import type { JobSummary } from '@/api/schema.gen';
import { isNothingUndone } from '@/form/job/job-outcome';
import { t } from '@/i18n/en';

/** The title of a job: its operation. That of an undo names what is undone, if that job is known. */
export function jobTitle({ operation, undoes }: JobSummary, known: readonly JobSummary[] = []): string {
  const undone = undoes === null ? undefined : known.find(({ id }) => id === undoes);
  if (undone) return t.audit.undid(jobTitle(undone));
  return operation ? t.audit.operations[operation] : t.jobs.unknown;
}

/** The state of a job, and how many devices are done. */
export function jobProgress(job: JobSummary): { state: string; done: string; bad: string } {
  const { state, resumesAt, counts } = job;
  return {
    state: isNothingUndone(job) ? t.jobs.nothingUndone : resumesAt ? t.jobs.paused : t.jobs.states[state],
    done: t.jobs.progress(counts.done, counts.total),
    bad: t.jobs.notDone(counts),
  };
}
