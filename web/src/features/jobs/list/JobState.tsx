import type { JobSummary } from '@/api/schema.gen';
import classes from '../Job.module.css';
import { jobProgress } from '../job-text';

/** The state and progress of a job. */
export function JobState({ job }: { job: JobSummary }) {
  const { state, done, bad } = jobProgress(job);
  return (
    <div className={classes.state}>
      <strong>{state}</strong>
      <span>{done}</span>
      {bad && <span className={classes.bad}>{bad}</span>}
    </div>
  );
}
