import { IconPencil } from '@tabler/icons-react';
import { t } from '@/i18n/en';
import { ActionIcon } from '@/ui/kit';
import { FrameState } from './FrameState';
import classes from './FrameTable.module.css';
import { startText, stopText } from './frame-times';
import type { FramesProps } from './ScheduleFrames';

export function FrameTable({ frames, faultOf, isChanged, isRemoved, disabled, onEdit }: FramesProps) {
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={t.scheduleForm.frames}>
        <thead>
          <tr>
            {Object.values(t.scheduleForm.columns).map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {frames.map((frame) => (
            <tr key={frame.number} data-active={frame.active}>
              <th scope="row">{frame.number}</th>
              <td>
                <FrameState
                  frame={frame}
                  fault={faultOf(frame)}
                  isChanged={isChanged(frame)}
                  isRemoved={isRemoved(frame)}
                />
              </td>
              {isRemoved(frame) ? (
                <td colSpan={4}>–</td>
              ) : (
                <>
                  <td>{t.schedule.days[frame.dayOfTheWeek]}</td>
                  <td>{startText(frame)}</td>
                  <td>{stopText(frame)}</td>
                  <td>{frame.intensity}</td>
                </>
              )}
              <td>
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={t.scheduleForm.editFrame(frame.number)}
                  data-frame={frame.number}
                  disabled={disabled}
                  onClick={() => onEdit(frame.number)}
                >
                  <IconPencil size={18} aria-hidden="true" />
                </ActionIcon>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
