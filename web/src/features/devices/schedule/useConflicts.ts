import { useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { conflictsOf } from '@/domain/schedule';
import { cutAround, placed } from '@/domain/schedule-entry';

/** An entry whose frames would run at the same time as others. */
export interface Conflict {
  entry: readonly ScheduleFrame[];
  others: readonly ScheduleFrame[];
  /** The frames into which the others can be cut so that both run; undefined if they cannot. */
  cut: readonly ScheduleFrame[] | undefined;
}

/**
 * Stores the frames of an entry among the others. If it conflicts with some, nothing changes until the user resolves it.
 * Frames that only touch are no conflict: the earlier one ends a minute earlier.
 */
export function useConflicts(frames: readonly ScheduleFrame[], onChange: (frames: ScheduleFrame[]) => void) {
  const [conflict, setClash] = useState<Conflict>();
  const [isOpen, setOpen] = useState(false);
  const accept = (accepted: readonly ScheduleFrame[]) => {
    setOpen(false);
    onChange(accepted.reduce(placed, [...frames]));
  };
  return {
    /** Kept while its dialog closes. */
    conflict,
    isOpen,
    /** False if the entry conflicts with others. */
    submit: (entry: readonly ScheduleFrame[]): boolean => {
      const all = entry.reduce(placed, [...frames]);
      const clashes = entry.flatMap(({ number }) => conflictsOf(all, number));
      const others = all.filter((frame) => clashes.includes(frame));
      if (others.length > 0) {
        setClash({ entry, others, cut: cutAround(entry, others, frames) });
        setOpen(true);
        return false;
      }
      accept(entry);
      return true;
    },
    accept,
    cancel: () => setOpen(false),
  };
}
