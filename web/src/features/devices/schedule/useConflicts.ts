import { useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { conflictsOf } from '@/lib/schedule';
import { withFrame } from './frame-form';

/** A frame that would run at the same time as others. */
export interface Conflict {
  frame: ScheduleFrame;
  others: readonly ScheduleFrame[];
}

/** Stores a changed frame among the others. If it conflicts with some, nothing changes until the user resolves it. */
export function useConflicts(frames: readonly ScheduleFrame[], onChange: (frames: ScheduleFrame[]) => void) {
  const [conflict, setClash] = useState<Conflict>();
  const [isOpen, setOpen] = useState(false);
  const accept = (accepted: readonly ScheduleFrame[]) => {
    setOpen(false);
    onChange(accepted.reduce(withFrame, [...frames]));
  };
  return {
    /** Kept while its dialog closes. */
    conflict,
    isOpen,
    /** False if the frame conflicts with others. */
    submit: (frame: ScheduleFrame): boolean => {
      const others = conflictsOf(withFrame(frames, frame), frame.number);
      if (others.length > 0) {
        setClash({ frame, others });
        setOpen(true);
        return false;
      }
      accept([frame]);
      return true;
    },
    accept,
    cancel: () => setOpen(false),
  };
}
