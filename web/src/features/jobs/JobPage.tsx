import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isStatus, messageOf } from '@/api/errors';
import { jobQuery, reportJob } from '@/api/jobs';
import { useDeviceEvents } from '@/api/live/live';
import type { Job } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { JobPanel } from '@/form/job/JobPanel';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Button, Group, Skeleton, Stack, Text, Title } from '@/ui/kit';
import { ReportButton } from '@/ui/list/ReportButton';
import { Loading } from '@/ui/notices/Loading';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import classes from './Job.module.css';
import { JobTargets } from './JobTargets';
import { jobTitle } from './job-text';

const route = getRouteApi('/signed-in/jobs/$id');

/** A job with its progress and the result of each device. */
export function JobPage() {
  const { id } = route.useParams();
  const { data: job, error, refetch } = useQuery(jobQuery(id));
  const { data: undone } = useQuery({ ...jobQuery(job?.undoes ?? ''), enabled: Boolean(job?.undoes) });
  const navigate = route.useNavigate();
  const openUndo = (undo: Job) => void navigate({ to: '/jobs/$id', params: { id: undo.id } });
  const title = job ? jobTitle(job, undone && [undone]) : t.jobs.one;
  usePageTitle(title);
  useDeviceEvents([]);
  if (error && (!job || isStatus(error, 404))) {
    return isStatus(error, 404) ? (
      <EmptyNotice page title={t.jobs.jobFailed} text={t.jobs.notFoundHint} action={<AllJobs />} />
    ) : (
      <ErrorNotice page title={t.jobs.jobFailed} reason={messageOf(error)} onRetry={() => void refetch()} />
    );
  }
  if (!job) {
    return (
      <Loading>
        <Skeleton height={170} radius="md" />
      </Loading>
    );
  }
  const when = dateTime(instant(job.createdAt));
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <div>
          <Title order={1} size={26}>
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {job.startedBy ? t.jobs.startedBy(job.startedBy, when) : t.jobs.started(when)}
          </Text>
          <OtherJob id={job.undoes} text={t.jobs.undoes} />
          <OtherJob id={job.undoneBy} text={t.jobs.undoneBy} />
        </div>
        <Group gap="sm">
          <ReportButton
            report={{
              list: 'job',
              reasonOf: messageOf,
              generate: (options, signal) => reportJob(id, options, signal),
            }}
            filter={undefined}
          />
          <AllJobs />
        </Group>
      </Group>
      <JobPanel key={id} id={id} title={t.jobs.columns.progress} onUndo={openUndo} />
      <JobTargets key={`targets ${id}`} id={id} isRunning={job.state === 'running'} />
    </Stack>
  );
}

function OtherJob({ id, text }: { id: string | null; text: string }) {
  if (id === null) return null;
  return (
    <Text size="sm">
      <Link to="/jobs/$id" params={{ id }} className={classes.other}>
        {text}
      </Link>
    </Text>
  );
}

function AllJobs() {
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/jobs" {...props} />}>
      {t.jobs.all}
    </Button>
  );
}
