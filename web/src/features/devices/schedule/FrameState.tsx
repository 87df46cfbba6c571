import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './FrameState.module.css';

interface Props {
  frame: ScheduleFrame;
  fault: string | undefined;
  isChanged: boolean;
}

/** Whether a frame runs, whether it waits to be saved, and why it cannot be. */
export function FrameState({ frame, fault, isChanged }: Props) {
  return (
    <span className={classes.state}>
      <span className={classes.word} data-active={frame.active}>
        {frame.active ? t.scheduleForm.enabled : t.scheduleForm.disabled}
      </span>
      {isChanged && <span className={classes.changed}>{t.scheduleForm.changed}</span>}
      {fault && <span className={classes.fault}>{fault}</span>}
    </span>
  );
}
