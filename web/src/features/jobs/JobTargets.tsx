import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { messageOf } from '@/api/errors';
import { jobTargetsQuery } from '@/api/jobs';
import type { JobTargetChanges } from '@/api/schema.gen';
import { ChangeList } from '@/form/changes/ChangeList';
import { OlderButton } from '@/form/list/OlderButton';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { Card } from '@/ui/layout/Card';
import { type Column, DataTable } from '@/ui/list/DataTable';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { RowCards } from '@/ui/list/RowCards';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import { ErrorNotice } from '@/ui/notices/Notice';
import classes from './Job.module.css';

const SKELETON_ROWS = 3;
const { target: heads } = t.jobs;

/** The devices of a job with their results. */
export function JobTargets({ id, isRunning }: { id: string; isRunning: boolean }) {
  const query = useInfiniteQuery(jobTargetsQuery(id, isRunning));
  const { refetch } = query;
  const wasRunning = useRef(isRunning);
  // The last results may be newer than the last read.
  useEffect(() => {
    if (wasRunning.current && !isRunning) void refetch();
    wasRunning.current = isRunning;
  }, [isRunning, refetch]);
  const targets = query.data?.pages.flatMap((page) => page.targets);
  return (
    <Card title={t.jobs.targets}>
      {targets ? (
        <Targets targets={targets} />
      ) : query.isError ? (
        <ErrorNotice title={t.jobs.targetsFailed} reason={messageOf(query.error)} onRetry={() => void refetch()} />
      ) : (
        <ListSkeleton rows={SKELETON_ROWS} />
      )}
      <OlderButton query={query} label={t.jobs.moreTargets} failed={t.jobs.targetsFailed} />
    </Card>
  );
}

const keyOf = (target: JobTargetChanges) => target.dsn;

const columns: Column<JobTargetChanges>[] = [
  { labels: [{ label: heads.device }], cell: (target) => <DeviceLink target={target} /> },
  { labels: [{ label: heads.result }], cell: (target) => <Result target={target} /> },
  { labels: [{ label: heads.changes }], cell: ({ changes }) => <ChangeList changes={changes} />, grow: true },
];

function Targets({ targets }: { targets: readonly JobTargetChanges[] }) {
  const rows = { rows: targets, rowKey: keyOf, busy: false };
  if (!useIsHandheld()) return <DataTable {...rows} caption={t.jobs.targets} columns={columns} />;
  return (
    <RowCards
      {...rows}
      card={(target) => (
        <div className={classes.card}>
          <DeviceLink target={target} />
          <Result target={target} />
          {target.changes.length > 0 && <ChangeList changes={target.changes} />}
        </div>
      )}
    />
  );
}

function DeviceLink({ target: { dsn, serialNumber } }: { target: JobTargetChanges }) {
  return (
    <div>
      <Link to="/devices/$dsn" params={{ dsn }} className={rowLink.link} {...ROW_LINK}>
        {serialNumber ?? dsn}
      </Link>
      {serialNumber !== null && <p className={classes.who}>{dsn}</p>}
    </div>
  );
}

function Result({ target: { state, reason } }: { target: JobTargetChanges }) {
  return (
    <div>
      <span className={state === 'failed' ? classes.bad : undefined}>{t.jobs.targetStates[state]}</span>
      {reason && <p className={classes.who}>{reason}</p>}
    </div>
  );
}
