import { useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { forgetDraft, keepDraft, readDraft } from '@/lib/draft-memory';
import { readSchedule, writeSchedule } from '@/lib/schedule-text';

interface Edit {
  /** What it began from. */
  from: readonly ScheduleFrame[];
  frames: readonly ScheduleFrame[];
}

/**
 * The schedule as its page shows it: that of the device, whatever comes in, until somebody edits it. What was edited
 * is kept under this name until it is saved, and not overwritten by what comes in.
 */
export function useScheduleDraft(name: string, stored: readonly ScheduleFrame[], disabled: boolean) {
  const [edit, setEdit] = useState(() => (disabled ? undefined : restored(name, stored)));
  const [isRestored, setRestored] = useState(edit !== undefined);
  const set = (edit: Edit | undefined) => {
    setEdit(edit);
    if (!edit) setRestored(false);
  };
  return {
    frames: edit?.frames ?? stored,
    isChanged: edit !== undefined,
    isRestored,
    /** Whether the device has by now something else than what was edited, and than what came of it. */
    isOutdated: edit !== undefined && ![edit.from, edit.frames].some((frames) => same(frames, stored)),
    /** Whether this frame was edited. */
    differs: ({ number }: ScheduleFrame) =>
      edit !== undefined && !same(frame(edit.from, number), frame(edit.frames, number)),
    change: (frames: readonly ScheduleFrame[]) => {
      const from = edit?.from ?? stored;
      keepDraft(name, values(from), values(frames));
      set(same(from, frames) ? undefined : { from, frames });
    },
    discard: () => {
      forgetDraft(name);
      set(undefined);
    },
  };
}

function restored(name: string, from: readonly ScheduleFrame[]): Edit | undefined {
  const draft = readDraft(name, values(from));
  return draft && { from, frames: readSchedule(draft.schedule).frames };
}

function values(frames: readonly ScheduleFrame[]) {
  return { schedule: writeSchedule(frames) };
}

function same(some: readonly ScheduleFrame[], others: readonly ScheduleFrame[]): boolean {
  return writeSchedule(some) === writeSchedule(others);
}

function frame(frames: readonly ScheduleFrame[], number: number): ScheduleFrame[] {
  return frames.filter((frame) => frame.number === number);
}
