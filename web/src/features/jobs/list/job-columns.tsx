import type { JobSummary } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import type { Column } from '@/ui/list/DataTable';
import { JobLink } from './JobLink';
import { JobState } from './JobState';

const { columns } = t.jobs;

/** For desktop screens. */
export const jobColumns = (jobs: readonly JobSummary[]): Column<JobSummary>[] => [
  { labels: [{ label: columns.what }], cell: (job) => <JobLink job={job} jobs={jobs} />, grow: true },
  { labels: [{ label: columns.progress }], cell: (job) => <JobState job={job} /> },
  { labels: [{ label: columns.who }], cell: (job) => job.startedBy },
  { labels: [{ label: columns.when }], cell: (job) => dateTime(instant(job.createdAt)) },
];
