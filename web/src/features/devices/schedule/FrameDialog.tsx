import type { ScheduleFrame } from '@/api/schema.gen';
import { unusedFrames } from '@/domain/schedule-entry';
import { isUnused, missingFrame } from '@/domain/schedule-text';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { ConflictDialog } from './ConflictDialog';
import { FrameFields } from './FrameFields';
import { withFrame } from './frame-form';
import { useConflicts } from './useConflicts';

interface Props {
  /** The edited frame: one of `frames`, or the initial values of an unused one. */
  frame: ScheduleFrame;
  frames: readonly ScheduleFrame[];
  maxIntensity: number;
  opened: boolean;
  onClose: () => void;
  /** Called with the edited frames; nothing has been saved. */
  onChange: (frames: ScheduleFrame[]) => void;
}

/** Edits a frame. If it overlaps others, the user chooses which one runs. */
export function FrameDialog({ frame, frames, maxIntensity, opened, onClose, onChange }: Props) {
  const change = (frames: ScheduleFrame[]) => {
    onChange(frames);
    onClose();
  };
  const { conflict, isOpen, submit, accept, cancel } = useConflicts(frames, change);
  const isNew = frames.some((one) => one.number === frame.number && isUnused(one));
  const remove = () => change(withFrame(frames, missingFrame(frame.number)));

  return (
    <>
      <Dialog title={t.scheduleForm.editFrame(frame.number)} opened={opened} onClose={onClose} covered={isOpen}>
        <FrameFields
          key={frame.number}
          frame={frame}
          unused={unusedFrames(frames, [frame])}
          maxIntensity={maxIntensity}
          onSubmit={submit}
          onCancel={onClose}
          onRemove={isNew ? undefined : remove}
        />
      </Dialog>
      {conflict && <ConflictDialog conflict={conflict} opened={isOpen} onAccept={accept} onCancel={cancel} />}
    </>
  );
}
