import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { allCspsQuery, rereadCsps } from '@/api/csps';
import { assignCsp, rereadDevices } from '@/api/devices';
import { fieldErrors, messageOf } from '@/api/errors';
import type { Job } from '@/api/schema.gen';
import { JobPanel } from '@/form/job/JobPanel';
import { JobPreviewList } from '@/form/job/JobPreviewList';
import { PreviewButton, usePreview } from '@/form/job/PreviewButton';
import { t } from '@/i18n/en';
import { foldedFilter } from '@/ui/fields/foldedFilter';
import { selectText } from '@/ui/fields/select-text';
import { Button, Group, Select, Stack } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { ErrorLine } from '@/ui/notices/ErrorLine';
import classes from './BulkEditPanel.module.css';
import type { BulkEdit } from './useBulkEdit';

interface Props {
  bulk: BulkEdit;
  onLeave: () => void;
}

/** Assigns the selected devices to a CSP. All are tried; those that fail stay selected. */
export default function BulkEditPanel({ bulk: { chosen, filter, job }, onLeave }: Props) {
  const client = useQueryClient();
  const csps = useQuery(allCspsQuery);
  const [csp, setCsp] = useState<string | null>(null);
  const assignment = { ...(filter === undefined ? { dsns: [...chosen.keys] } : { matching: filter }), csp };
  const preview = usePreview({ assignment });
  const save = useMutation({
    mutationFn: () => assignCsp(assignment),
    onSuccess: job.follow,
    onError: (error) => alertFailure(t.bulk.failed, t.bulk.saved, messageOf(error)),
  });
  const refused = fieldErrors(save.error);
  const isComplete = csp !== null && chosen.keys.length > 0;
  const isBusy = save.isPending || job.isRunning;

  const onEnded = (ended: Job) => {
    job.hasEnded();
    void rereadDevices(client);
    void rereadCsps(client);
    chosen.replace(ended.unfinished.map(({ dsn }) => dsn));
    if (ended.unfinished.length === 0) {
      alertSuccess(t.bulk.saved, ended.can.undo ? t.jobs.undoableLater : undefined);
      onLeave();
    } else if (ended.state !== 'cancelled') alertFailure(t.bulk.failed, t.bulk.saved);
  };

  return (
    <Stack gap="md">
      <Card title={t.bulk.title}>
        <p className={classes.lead}>{`${t.bulk.lead} ${t.bulk.noEffect}`}</p>
        <div className={classes.fields}>
          <Select
            label={t.bulk.csp}
            data={csps.data?.map(({ name }) => name) ?? []}
            value={csp}
            onChange={setCsp}
            error={refused.csp ?? (csps.isError && t.bulk.cspsFailed)}
            disabled={isBusy}
            required
            searchable
            filter={foldedFilter}
            {...selectText}
            nothingFoundMessage={csps.isPending ? t.list.loading : t.list.empty}
          />
          <Group className={classes.chosen} gap="xs">
            <span role="status">{t.bulk.chosen(chosen.keys.length)}</span>
            <Button
              size="compact-sm"
              variant="subtle"
              disabled={isBusy || chosen.keys.length === 0}
              onClick={() => chosen.replace([])}
            >
              {t.bulk.clear}
            </Button>
          </Group>
        </div>
        {filter !== undefined && <p className={classes.hint}>{t.preview.matching}</p>}
        {refused.dsns && <ErrorLine mt={8}>{refused.dsns}</ErrorLine>}
        <Group justify="flex-end" mt="md">
          <Button variant="default" disabled={isBusy} onClick={onLeave}>
            {t.bulk.leave}
          </Button>
          <PreviewButton preview={preview} disabled={!isComplete || isBusy} />
          <Button disabled={!isComplete || job.isRunning} loading={save.isPending} onClick={() => save.mutate()}>
            {t.common.save}
          </Button>
        </Group>
        {preview.source && <JobPreviewList source={preview.source} />}
      </Card>
      {job.id !== undefined && (
        <JobPanel key={job.id} id={job.id} title={t.bulk.progress} onEnded={onEnded} onClose={job.unfollow} />
      )}
    </Stack>
  );
}
