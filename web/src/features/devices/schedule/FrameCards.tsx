import { IconPencil } from '@tabler/icons-react';
import { useId } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './FrameCards.module.css';
import { FrameState } from './FrameState';
import { frameTimes } from './frame-times';
import type { FramesProps } from './ScheduleFrames';

/** On a phone: the whole card is the button that edits its frame. */
export function FrameCards({ frames, disabled, onEdit, ...of }: FramesProps) {
  return (
    <ul className={classes.cards} aria-label={t.scheduleForm.frames}>
      {frames.map((frame) => (
        <li key={frame.number}>
          <FrameCard frame={frame} disabled={disabled} onEdit={onEdit} {...of} />
        </li>
      ))}
    </ul>
  );
}

interface CardProps extends Omit<FramesProps, 'frames'> {
  frame: ScheduleFrame;
}

function FrameCard({ frame, faultOf, isChanged, isRemoved, disabled, onEdit }: CardProps) {
  const id = useId();
  const removed = isRemoved(frame);
  return (
    <button
      type="button"
      className={classes.card}
      data-active={frame.active}
      aria-label={t.scheduleForm.editFrame(frame.number)}
      aria-describedby={id}
      data-frame={frame.number}
      disabled={disabled}
      onClick={() => onEdit(frame.number)}
    >
      <span className={classes.number} aria-hidden="true">
        {frame.number}
      </span>
      <span id={id} className={classes.what}>
        {!removed && <span className={classes.times}>{frameTimes(frame)}</span>}
        <span className={classes.line}>
          <FrameState frame={frame} fault={faultOf(frame)} isChanged={isChanged(frame)} isRemoved={removed} />
          {!removed && <span>{t.schedule.intensity(frame.intensity)}</span>}
        </span>
      </span>
      {!disabled && <IconPencil size={18} aria-hidden="true" />}
    </button>
  );
}
