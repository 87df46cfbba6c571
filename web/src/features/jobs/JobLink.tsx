import { Link } from '@tanstack/react-router';
import type { JobSummary } from '@/api/schema.gen';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import { jobTitle } from './job-text';

/** Opens a job. A click anywhere on its row does the same. */
export function JobLink({ job }: { job: JobSummary }) {
  return (
    <Link to="/jobs/$id" params={{ id: job.id }} className={rowLink.link} {...ROW_LINK}>
      {jobTitle(job)}
    </Link>
  );
}
