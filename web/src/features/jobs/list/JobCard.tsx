import type { JobSummary } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import classes from '../Job.module.css';
import { JobLink } from './JobLink';
import { JobState } from './JobState';

/** The card of a job on a phone. */
export function JobCard({ job, jobs }: { job: JobSummary; jobs: readonly JobSummary[] }) {
  const who = [job.startedBy, dateTime(instant(job.createdAt))].filter(Boolean).join(' · ');
  return (
    <div className={classes.card}>
      <JobLink job={job} jobs={jobs} />
      <JobState job={job} />
      <p className={classes.who}>{who}</p>
    </div>
  );
}
