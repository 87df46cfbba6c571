import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/Dialog';
import { Button, Stack } from '@/ui/kit';
import classes from './ConflictDialog.module.css';
import { frameTimes } from './frame-times';

interface Props {
  /** Of the frame that was to be saved. */
  number: number;
  /** Those that it meets. */
  others: readonly ScheduleFrame[];
  opened: boolean;
  onDisableOthers: () => void;
  onSaveDisabled: () => void;
  onCancel: () => void;
}

export function ConflictDialog({ number, others, opened, onDisableOthers, onSaveDisabled, onCancel }: Props) {
  return (
    <Dialog title={t.scheduleForm.conflicts} opened={opened} onClose={onCancel}>
      <p className={classes.lead}>{t.scheduleForm.conflictsWith(number)}</p>
      <ul className={classes.others}>
        {others.map((frame) => (
          <li key={frame.number}>
            <b>{t.schedule.schedule(frame.number)}</b>
            <span className={classes.times}>{frameTimes(frame)}</span>
          </li>
        ))}
      </ul>
      <Stack gap="sm">
        <Button onClick={onDisableOthers}>{t.scheduleForm.disableOthers}</Button>
        <Button variant="default" onClick={onSaveDisabled}>
          {t.scheduleForm.saveDisabled}
        </Button>
        <Button variant="default" onClick={onCancel} data-autofocus>
          {t.common.cancel}
        </Button>
      </Stack>
    </Dialog>
  );
}
