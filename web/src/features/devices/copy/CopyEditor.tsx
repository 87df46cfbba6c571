import { useState } from 'react';
import type { DeviceDetail } from '@/api/schema.gen';
import { MODE } from '@/domain/settings-rules';
import { ConfirmJobDialog } from '@/form/job/ConfirmJobDialog';
import { JobPanel } from '@/form/job/JobPanel';
import { JobPreviewList } from '@/form/job/JobPreviewList';
import { PreviewButton, usePreview } from '@/form/job/PreviewButton';
import { LeaveGuard } from '@/form/LeaveGuard';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button, Stack } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { useSelection } from '@/ui/list/useSelection';
import { InfoNotice } from '@/ui/notices/Notice';
import { BackToDevice, useBackToDevice } from '../BackToDevice';
import classes from './CopyEditor.module.css';
import { CopyTargets } from './CopyTargets';
import { OptionsStep } from './OptionsStep';
import { type CopyOption, OPTIONS } from './options';
import { useCopyDevice } from './useCopyDevice';

/** The button is always visible, the place of the preview is not. */
function scrollTo(preview: HTMLElement | null) {
  preview?.scrollIntoView({ block: 'center' });
}

/** The copy of a device: options, targets and progress. */
export function CopyEditor({ device }: { device: DeviceDetail }) {
  const { dsn, can } = device;
  const [options, setOptions] = useState<CopyOption[]>([]);
  const chosen = useSelection();
  const [filter, setFilter] = useState<string>();
  const { job, start, isBusy, onEnded } = useCopyDevice({
    dsn,
    onCopied: useBackToDevice(dsn),
    onFailed: chosen.replace,
  });
  const disabled = !can.copy || isBusy;
  const targets = [...chosen.keys];
  const isComplete = options.length > 0 && targets.length > 0;
  const form = {
    ...(filter === undefined ? { targets } : { matching: filter }),
    ...Object.fromEntries(OPTIONS.map((option) => [option, options.includes(option)])),
  };
  const source = { copyOf: dsn, form };
  const preview = usePreview(source);
  const [asks, setAsks] = useState(false);
  const apply = () => {
    setAsks(false);
    start.mutate(form);
  };

  return (
    <Stack gap="md">
      {!can.copy && <InfoNotice text={t.copy.readOnly} />}
      <OptionsStep
        chosen={options}
        onChange={setOptions}
        disabled={disabled}
        notes={device.mode === MODE.run ? { settings: t.copy.scheduled } : {}}
      />
      <CopyTargets chosen={chosen} onFilter={setFilter} disabled={disabled} />
      <Card title={t.copy.steps.apply}>
        <p className={classes.chosen} role="status">
          {t.copy.chosen(options.length, targets.length)}
        </p>
        <p className={classes.hint}>{t.copy.hint}</p>
        {filter !== undefined && <p className={classes.hint}>{t.preview.matching}</p>}
        {preview.source && (
          <div ref={scrollTo}>
            <JobPreviewList source={preview.source} />
          </div>
        )}
      </Card>
      {job.id !== undefined && (
        <JobPanel key={job.id} id={job.id} title={t.copy.progress} onEnded={onEnded} onClose={job.unfollow} />
      )}
      <FormActions long>
        <Button
          onClick={preview.wasShown ? apply : () => setAsks(true)}
          loading={start.isPending}
          disabled={disabled || !isComplete}
        >
          {t.copy.apply}
        </Button>
        <PreviewButton preview={preview} disabled={disabled || !isComplete} />
        <BackToDevice dsn={dsn}>{t.common.cancel}</BackToDevice>
      </FormActions>
      <ConfirmJobDialog
        title={t.copy.confirm}
        start={t.copy.applyTo(targets.length)}
        source={source}
        opened={asks}
        onClose={() => setAsks(false)}
        onStart={apply}
      />
      <LeaveGuard hasList active={(options.length > 0 || targets.length > 0) && !isBusy} />
    </Stack>
  );
}
