import { Link } from '@tanstack/react-router';
import type { JobSummary } from '@/api/schema.gen';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import { jobTitle } from '../job-text';

/** Opens a job, whose title may name one of the listed `jobs`. A click anywhere on its row does the same. */
export function JobLink({ job, jobs }: { job: JobSummary; jobs: readonly JobSummary[] }) {
  return (
    <Link to="/jobs/$id" params={{ id: job.id }} className={rowLink.link} {...ROW_LINK}>
      {jobTitle(job, jobs)}
    </Link>
  );
}
