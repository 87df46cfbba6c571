import { useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { conflictsOf } from '@/lib/schedule';
import { Dialog } from '@/ui/Dialog';
import { ConflictDialog } from './ConflictDialog';
import { FrameFields } from './FrameFields';
import { withFrame } from './frame-form';

interface Props {
  /** Of the frame that is edited. */
  number: number;
  frames: readonly ScheduleFrame[];
  maxIntensity: number;
  opened: boolean;
  onClose: () => void;
  /** The frames as they are to be now; nothing was sent anywhere. */
  onChange: (frames: ScheduleFrame[]) => void;
}

interface Clash {
  frame: ScheduleFrame;
  others: readonly ScheduleFrame[];
}

/** Edits one frame. Where it meets others, the user says which of them is to run. */
export function FrameDialog({ number, frames, maxIntensity, opened, onClose, onChange }: Props) {
  const [clash, setClash] = useState<Clash>();
  const [asking, setAsking] = useState(false);
  const edited = frames.find((frame) => frame.number === number);

  const accept = (accepted: readonly ScheduleFrame[]) => {
    setAsking(false);
    onChange(accepted.reduce(withFrame, [...frames]));
    onClose();
  };
  const submit = (frame: ScheduleFrame): boolean => {
    const others = conflictsOf(withFrame(frames, frame), number);
    if (others.length === 0) {
      accept([frame]);
      return true;
    }
    setClash({ frame, others });
    setAsking(true);
    return false;
  };

  return (
    <>
      <Dialog title={t.scheduleForm.editFrame(number)} opened={opened} onClose={onClose} covered={asking}>
        {edited && (
          <FrameFields key={number} frame={edited} maxIntensity={maxIntensity} onSubmit={submit} onCancel={onClose} />
        )}
      </Dialog>
      {clash && (
        <ConflictDialog
          number={number}
          others={clash.others}
          opened={asking}
          onDisableOthers={() => accept([clash.frame, ...clash.others.map(disabled)])}
          onSaveDisabled={() => accept([disabled(clash.frame)])}
          onCancel={() => setAsking(false)}
        />
      )}
    </>
  );
}

function disabled(frame: ScheduleFrame): ScheduleFrame {
  return { ...frame, active: false };
}
