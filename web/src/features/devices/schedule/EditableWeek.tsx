import type { CSSProperties } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { conflictsOf, type WeekTime } from '@/domain/schedule';
import { placed } from '@/domain/schedule-entry';
import { t } from '@/i18n/en';
import { ConflictDialog } from './ConflictDialog';
import classes from './EditableWeek.module.css';
import { frameTimes } from './frame-times';
import { useConflicts } from './useConflicts';
import { useWeekDrag } from './useWeekDrag';
import { WeekChart } from './WeekChart';

interface Props {
  frames: readonly ScheduleFrame[];
  now: WeekTime | undefined;
  /** Called with the edited frames; nothing has been saved. */
  onChange: (frames: ScheduleFrame[]) => void;
  /** The number of the frame to edit in its dialog. */
  onOpen: (number: number) => void;
}

/** The week with blocks that can be moved and resized. Keyboard users have the list of the same frames. */
export function EditableWeek({ frames, now, onChange, onOpen }: Props) {
  const { conflict, isOpen, submit, accept, cancel } = useConflicts(frames, onChange);
  const { drag, held, chart } = useWeekDrag({ frames, onDrop: (frame) => submit([frame]), onOpen });
  // Until the user decides, the chart shows the conflict.
  const moved = drag?.frame ?? (isOpen ? conflict?.entry[0] : undefined);
  const shown = moved ? placed(frames, moved) : frames;
  const others = moved ? conflictsOf(shown, moved.number) : [];
  const clashes = others.length > 0 ? [moved, ...others].map((frame) => frame?.number) : [];
  return (
    <>
      <WeekChart
        frames={shown}
        running={null}
        now={now}
        chart={chart}
        slotProps={({ number }, day) => ({
          className: classes.block,
          'data-frame': String(number),
          'data-moved': number === moved?.number,
          'data-conflict': clashes.includes(number),
          'data-held': number === held?.number && day === held.day,
          children: (
            <>
              <span className={classes.grip} data-grip="start" />
              <span className={classes.grip} data-grip="stop" />
            </>
          ),
        })}
      />
      <p className={classes.hint}>
        <span className={classes.byMouse}>{t.scheduleForm.dragByMouse}</span>
        <span className={classes.byTouch}>{t.scheduleForm.dragByTouch}</span>
      </p>
      {drag && (
        <div
          className={classes.reading}
          style={at(drag)}
          role="status"
          aria-live="off"
          aria-label={t.scheduleForm.dragged}
          data-conflict={others.length > 0}
        >
          <b>{t.schedule.schedule(drag.frame.number)}</b> <span>{frameTimes(drag.frame)}</span>
          {others.map((other) => (
            <div key={other.number}>
              {`${t.scheduleForm.conflicts}: ${t.schedule.schedule(other.number)}, ${frameTimes(other)}`}
            </div>
          ))}
        </div>
      )}
      {conflict && <ConflictDialog conflict={conflict} opened={isOpen} onAccept={accept} onCancel={cancel} />}
    </>
  );
}

function at({ x, y }: { x: number; y: number }): CSSProperties {
  return { '--x': `${x}px`, '--y': `${y}px` } as CSSProperties;
}
