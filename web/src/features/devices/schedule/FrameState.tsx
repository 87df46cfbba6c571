import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './FrameState.module.css';

interface Props {
  frame: ScheduleFrame;
  fault: string | undefined;
  isChanged: boolean;
  /** It was used, and will not be when it is saved. */
  isRemoved: boolean;
}

/** Whether a frame runs, whether it waits to be saved, and why it cannot be. */
export function FrameState({ frame, fault, isChanged, isRemoved }: Props) {
  return (
    <span className={classes.state}>
      <span className={classes.word} data-active={frame.active}>
        {isRemoved ? t.scheduleForm.removed : frame.active ? t.scheduleForm.enabled : t.scheduleForm.disabled}
      </span>
      {isChanged && <span className={classes.changed}>{t.scheduleForm.changed}</span>}
      {fault && <span className={classes.fault}>{fault}</span>}
    </span>
  );
}
