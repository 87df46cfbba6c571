import type { JobSummary } from '@/api/schema.gen';
import { t } from '@/i18n/en';

/** The title of a job: its operation. */
export function jobTitle({ operation }: JobSummary): string {
  return operation ? t.audit.operations[operation] : t.jobs.unknown;
}

/** The state of a job, and how many devices are done. */
export function jobProgress({ state, resumesAt, counts }: JobSummary): { state: string; done: string; bad: string } {
  return {
    state: resumesAt ? t.jobs.paused : t.jobs.states[state],
    done: t.jobs.progress(counts.done, counts.total),
    bad: t.jobs.notDone(counts),
  };
}
