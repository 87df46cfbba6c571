import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './FrameState.module.css';

interface Props {
  frame: ScheduleFrame;
  fault: string | undefined;
  isChanged: boolean;
  /** The frame was used and will be unused after saving. */
  isRemoved: boolean;
}

/** Whether a frame is running or unsaved, and its errors. */
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
