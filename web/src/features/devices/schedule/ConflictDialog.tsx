import type { ScheduleFrame } from '@/api/schema.gen';
import { fitsOf } from '@/domain/schedule';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Stack } from '@/ui/kit';
import classes from './ConflictDialog.module.css';
import { frameTimes, startText, stopText } from './frame-times';
import type { Conflict } from './useConflicts';

interface Props {
  conflict: Conflict;
  opened: boolean;
  /** The frames to change. */
  onAccept: (frames: readonly ScheduleFrame[]) => void;
  onCancel: () => void;
}

/** Lets the user choose which of the frames runs, and when. */
export function ConflictDialog({ conflict: { entry, others, cut }, opened, onAccept, onCancel }: Props) {
  const [frame, ...more] = entry;
  const fits =
    frame && more.length === 0 ? fitsOf(frame, others).map((fit) => ({ fit, text: fitText(frame, fit) })) : [];
  const names = listed(others.map(({ number }) => t.schedule.schedule(number)));
  const entryNames = listed(entry.map((one) => t.scheduleForm.named(one.number, frameTimes(one))));
  return (
    <Dialog title={t.scheduleForm.conflicts} opened={opened} onClose={onCancel}>
      <p className={classes.lead}>{t.scheduleForm.conflictsWith(entryNames)}</p>
      <ul className={classes.others}>
        {others.map((other) => (
          <li key={other.number}>
            <b>{t.schedule.schedule(other.number)}</b>
            <span className={classes.times}>{frameTimes(other)}</span>
          </li>
        ))}
      </ul>
      <Stack gap="sm">
        {cut && (
          <Button onClick={() => onAccept([...cut, ...entry])}>
            {cut.length > others.length ? t.scheduleForm.splitAround(names) : t.scheduleForm.shorten(names)}
          </Button>
        )}
        {fits.map(({ fit, text }) => (
          <Button key={text} variant={cut ? 'default' : 'filled'} onClick={() => onAccept([fit])}>
            {text}
          </Button>
        ))}
        <Button
          variant={cut || fits.length > 0 ? 'default' : 'filled'}
          onClick={() => onAccept([...others.map(disabled), ...entry])}
        >
          {t.scheduleForm.disableOthers}
        </Button>
        <Button variant="default" onClick={() => onAccept(entry.map(disabled))}>
          {t.scheduleForm.saveDisabled}
        </Button>
        <Button variant="default" onClick={onCancel} data-autofocus>
          {t.common.cancel}
        </Button>
      </Stack>
    </Dialog>
  );
}

/** Names the changed times: 'Start at 6:31 PM'. */
function fitText(frame: ScheduleFrame, fit: ScheduleFrame): string {
  const [start, stop] = [startText(fit), stopText(fit)];
  if (stop === stopText(frame)) return t.scheduleForm.startAt(start);
  if (start === startText(frame)) return t.scheduleForm.endAt(stop);
  return t.scheduleForm.startAndEnd(start, stop);
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat('en-US').format(names);
}

function disabled(frame: ScheduleFrame): ScheduleFrame {
  return { ...frame, active: false };
}
