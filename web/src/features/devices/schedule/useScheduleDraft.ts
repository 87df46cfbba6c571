import { useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { forgetDraft, keepDraft, readDraft } from '@/lib/draft-memory';
import { readSchedule, writeSchedule } from '@/lib/schedule-text';

interface Edit {
  /** The frame before the edit. */
  from: readonly ScheduleFrame[];
  frames: readonly ScheduleFrame[];
}

/**
 * The schedule on its page: the device's current one, with the edited frames in place of the stored ones. Edited frames are
 * kept under this name until they are saved.
 */
export function useScheduleDraft(name: string, stored: readonly ScheduleFrame[], disabled: boolean) {
  const [edit, setEdit] = useState(() => (disabled ? undefined : restored(name, stored)));
  const [isRestored, setRestored] = useState(edit !== undefined);
  const set = (edit: Edit | undefined) => {
    setEdit(edit);
    if (!edit) setRestored(false);
  };
  const differs = ({ number }: ScheduleFrame) =>
    edit !== undefined && !same(frame(edit.from, number), frame(edit.frames, number));
  const edited = (frames: readonly ScheduleFrame[]) => frames.filter(differs);
  /** The stored frames, with edited ones replaced by those of `frames`. */
  const overlaid = (frames: readonly ScheduleFrame[]) =>
    stored.map((one) => (differs(one) ? (frame(frames, one.number)[0] ?? one) : one));
  return {
    frames: edit ? overlaid(edit.frames) : stored,
    isChanged: edit !== undefined,
    isRestored,
    /** The edited frames that the device has changed meanwhile to a third value. */
    outdated: edited(stored).filter(
      ({ number }) =>
        edit && ![edit.from, edit.frames].some((frames) => same(frame(frames, number), frame(stored, number))),
    ),
    /** Whether this frame has been edited. */
    differs,
    change: (frames: readonly ScheduleFrame[]) => {
      const from = edit ? overlaid(edit.from) : stored;
      keepDraft(name, values(from), values(frames));
      set(same(from, frames) ? undefined : { from, frames });
    },
    discard: () => {
      forgetDraft(name);
      set(undefined);
    },
  };
}

function restored(name: string, stored: readonly ScheduleFrame[]): Edit | undefined {
  const draft = readDraft(name, values(stored));
  if (!draft) return undefined;
  const frames = readSchedule(stored.map(({ number }) => draft[number]).join(',')).frames;
  return same(stored, frames) ? undefined : { from: stored, frames };
}

/** The frames by number. */
function values(frames: readonly ScheduleFrame[]): Record<string, string> {
  return Object.fromEntries(frames.map((frame) => [frame.number, writeSchedule([frame])]));
}

function same(some: readonly ScheduleFrame[], others: readonly ScheduleFrame[]): boolean {
  return writeSchedule(some) === writeSchedule(others);
}

function frame(frames: readonly ScheduleFrame[], number: number): ScheduleFrame[] {
  return frames.filter((frame) => frame.number === number);
}
