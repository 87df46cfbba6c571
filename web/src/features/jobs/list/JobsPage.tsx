import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { messageOf } from '@/api/errors';
import { jobsQuery } from '@/api/jobs';
import { useDeviceEvents } from '@/api/live/live';
import type { JobSummary } from '@/api/schema.gen';
import { OlderButton } from '@/form/list/OlderButton';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Text, Title } from '@/ui/kit';
import { Panel } from '@/ui/layout/Card';
import { DataTable } from '@/ui/list/DataTable';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { RowCards } from '@/ui/list/RowCards';
import { useListKeys } from '@/ui/list/useListKeys';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { JobCard } from './JobCard';
import { jobColumns } from './job-columns';

const SKELETON_ROWS = 5;

/** The user's jobs; for an administrator, the jobs of all users. */
export function JobsPage() {
  usePageTitle(t.jobs.title);
  useDeviceEvents([]);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list);
  const query = useInfiniteQuery(jobsQuery);
  const jobs = query.data?.pages.flatMap((page) => page.jobs);
  return (
    <Stack gap="md">
      <div>
        <Title order={1} size={26}>
          {t.jobs.title}
        </Title>
        <Text size="sm" c="dimmed">
          {t.jobs.lead}
        </Text>
      </div>
      <Panel ref={list}>
        {jobs && jobs.length > 0 ? (
          <Jobs jobs={jobs} />
        ) : jobs ? (
          <EmptyNotice title={t.jobs.none} text={t.jobs.noneHint} />
        ) : query.isError ? (
          <ErrorNotice title={t.jobs.loadFailed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
        ) : (
          <ListSkeleton rows={SKELETON_ROWS} />
        )}
        <OlderButton query={query} failed={t.jobs.loadFailed} />
      </Panel>
    </Stack>
  );
}

const keyOf = (job: JobSummary) => job.id;

function Jobs({ jobs }: { jobs: readonly JobSummary[] }) {
  const rows = { rows: jobs, rowKey: keyOf, busy: false };
  if (useIsHandheld()) return <RowCards {...rows} card={(job) => <JobCard job={job} jobs={jobs} />} />;
  return <DataTable {...rows} caption={t.jobs.title} columns={jobColumns(jobs)} />;
}
