import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { messageOf } from '@/api/errors';
import { applyJob, cancelJob, jobQuery, retryJob, undoJob } from '@/api/jobs';
import type { Job } from '@/api/schema.gen';
import { clockTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { Button, Group, Skeleton } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure } from '@/ui/notices/alerts';
import { ErrorNotice } from '@/ui/notices/Notice';
import { JobFailures } from './JobFailures';
import classes from './JobPanel.module.css';
import { isNothingUndone, reasonsOf } from './job-outcome';

interface Props {
  id: string;
  /** The title: the operation on the devices. */
  title: string;
  /** Called for each end of the job, also if that was before the panel opened, and again if a device is done after a stop. */
  onEnded?: (job: Job) => void;
  /** Closes the panel of an ended job. Omitted on the job's own page, where the panel cannot be closed. */
  onClose?: () => void;
  /** Called with the job that undoes this one. Without it the panel does not offer to undo it. */
  onUndo?: (undo: Job) => void;
}

/** The progress and failures of a job, with buttons to stop, retry and undo it. */
export function JobPanel({ id, title, onEnded, onClose, onUndo }: Props) {
  const { data: job, error, refetch } = useQuery(jobQuery(id));
  useEnd(job, onEnded);
  const panel = useRef<HTMLElement>(null);
  // The button that started the job may be far away in a long list.
  useEffect(() => {
    panel.current?.scrollIntoView({ block: 'center' });
  }, []);
  // The clicked button may be disabled or removed by now, so the panel takes the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the state changes
  useEffect(() => {
    const { activeElement, body } = document;
    // A browser takes the focus from a disabled button only when it paints.
    if (activeElement === body || activeElement?.matches(':disabled')) panel.current?.focus({ preventScroll: true });
  }, [job?.state]);
  return (
    <Card ref={panel} title={title} focusable>
      {job ? (
        <Progress job={job} {...(onClose && { onClose })} {...(onUndo && { onUndo })} />
      ) : error ? (
        <>
          <ErrorNotice title={t.jobs.failed} reason={messageOf(error)} onRetry={() => void refetch()} />
          {onClose && (
            <Group justify="flex-end">
              <CloseButton onClose={onClose} />
            </Group>
          )}
        </>
      ) : (
        <Skeleton height={96} />
      )}
    </Card>
  );
}

/** Calls `onEnded` once for each end and outcome. A retried job ends again, and devices in progress may be done after a stop. */
function useEnd(job: Job | undefined, onEnded: ((job: Job) => void) | undefined): void {
  const reported = useRef<string>(undefined);
  useEffect(() => {
    if (!job) return;
    const outcome = job.state === 'running' ? undefined : job.unfinished.map(({ dsn }) => dsn).join();
    if (outcome !== undefined && outcome !== reported.current) onEnded?.(job);
    reported.current = outcome;
  }, [job, onEnded]);
}

type ProgressProps = { job: Job } & Pick<Props, 'onClose' | 'onUndo'>;

function Progress({ job, onClose, onUndo }: ProgressProps) {
  const { counts, state, unfinished, resumesAt } = job;
  const { total, done, failed } = counts;
  const bad = t.jobs.notDone(counts);
  return (
    <>
      <progress className={classes.bar} max={total} value={total - counts.waiting} aria-label={t.jobs.states[state]} />
      <p className={classes.counts} role="status">
        <strong>
          {isNothingUndone(job) ? t.jobs.nothingUndone : resumesAt ? t.jobs.paused : t.jobs.states[state]}
        </strong>
        <span>{t.jobs.progress(done, total)}</span>
        {bad && <span className={classes.bad}>{bad}</span>}
      </p>
      {isNothingUndone(job) && <p className={classes.hint}>{t.jobs.nothingUndoneBecause(reasonsOf(job))}</p>}
      {resumesAt && <p className={classes.hint}>{t.jobs.pausedUntil(clockTime(instant(resumesAt)))}</p>}
      {onClose && state === 'running' && (
        <p className={classes.hint}>
          <span>{t.jobs.goesOn}</span> <Link to="/jobs">{t.jobs.all}</Link>
        </p>
      )}
      {state === 'interrupted' && <p className={classes.hint}>{t.jobs.interrupted}</p>}
      {onClose && failed > 0 && <JobFailures targets={unfinished} />}
      {onUndo && job.can.undo && <p className={classes.hint}>{t.jobs.undoHint}</p>}
      <Actions job={job} {...(onClose && { onClose })} {...(onUndo && { onUndo })} />
    </>
  );
}

function Actions({ job, onClose, onUndo }: ProgressProps) {
  const client = useQueryClient();
  const onSuccess = (job: Job) => applyJob(client, job);
  const cancel = useMutation({
    mutationFn: () => cancelJob(job.id),
    onSuccess,
    onError: (error) => alertFailure(t.jobs.cancelFailed(messageOf(error))),
  });
  const retry = useMutation({
    mutationFn: () => retryJob(job),
    onSuccess,
    onError: (error) => alertFailure(t.jobs.retryFailed(messageOf(error))),
  });
  const undo = useMutation({
    mutationFn: () => undoJob(client, job.id),
    onSuccess: async (started) => {
      await applyJob(client, started);
      onUndo?.(started);
    },
    onError: (error) => alertFailure(t.jobs.undoFailed(messageOf(error))),
  });
  return (
    <Group className={classes.actions} justify="flex-end" mt="md">
      {onClose && job.state !== 'running' && <CloseButton onClose={onClose} />}
      {job.can.cancel && (
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          {t.jobs.cancel}
        </Button>
      )}
      {job.can.retry && (
        <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate()}>
          {t.jobs.retry}
        </Button>
      )}
      {onUndo && job.can.undo && (
        <Button variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
          {t.jobs.undo}
        </Button>
      )}
    </Group>
  );
}

function CloseButton({ onClose }: { onClose: () => void }) {
  return (
    <Button variant="subtle" onClick={onClose}>
      {t.common.close}
    </Button>
  );
}
