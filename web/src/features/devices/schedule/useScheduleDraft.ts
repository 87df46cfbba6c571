import { useRef, useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { forgetDraft, keepDraft, readDraft, readDraftStart } from '@/browser/draft-memory';
import { readEntry, writeSchedule } from '@/domain/schedule-text';
import { withFrame } from './frame-form';

interface Edit {
  /** The frames before the edit, as the user saw them. */
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
  const isLeft = useRef(false);
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
  const from = edit ? overlaid(edit.from) : stored;
  const frames = edit ? overlaid(edit.frames) : stored;
  const store = (from: readonly ScheduleFrame[], frames: readonly ScheduleFrame[]) => {
    if (!isLeft.current) keepDraft(name, scheduleEntries(from), scheduleEntries(frames));
    set(same(from, frames) ? undefined : { from, frames });
  };
  return {
    frames,
    isChanged: edit !== undefined,
    isRestored,
    /** The edited frames that the device has changed meanwhile to a third value. */
    outdated: edited(stored).filter(
      ({ number }) =>
        edit && ![edit.from, edit.frames].some((frames) => same(frame(frames, number), frame(stored, number))),
    ),
    /** Whether this frame has been edited. */
    differs,
    /** The entries of these frames as the user saw them before the edit. */
    seen: (sent: readonly ScheduleFrame[]) =>
      scheduleEntries(from.filter(({ number }) => sent.some((one) => one.number === number))),
    change: (frames: readonly ScheduleFrame[]) => store(from, frames),
    /** Continues with `edited`, now that the user has seen the device's frame `seen`. */
    decide: (seen: ScheduleFrame, edited: ScheduleFrame) => store(withFrame(from, seen), withFrame(frames, edited)),
    /** Continues after a save with the frames that were changed meanwhile, and returns whether there are none. */
    saved: (sent: readonly ScheduleFrame[], shown: readonly ScheduleFrame[]): boolean => {
      const left = shown.filter((one) => {
        const before = frame(sent, one.number);
        return before.length > 0 ? !same([one], before) : differs(one);
      });
      const now = sent.reduce(withFrame, stored);
      store(now, left.reduce(withFrame, now));
      return left.length === 0;
    },
    /** Deletes the draft when the user leaves without saving. A save that ends later stores none. */
    leave: () => {
      isLeft.current = true;
      forgetDraft(name);
    },
    discard: () => {
      forgetDraft(name);
      set(undefined);
    },
  };
}

function restored(name: string, stored: readonly ScheduleFrame[]): Edit | undefined {
  const present = scheduleEntries(stored);
  const draft = readDraft(name, present);
  if (!draft) return undefined;
  const start = readDraftStart(name, present);
  const frames = stored.map(({ number }) => readEntry(number, draft[number] ?? ''));
  const from = stored.map((one) => {
    const before = start[one.number];
    const isEdited = before !== undefined && draft[one.number] !== present[one.number];
    return isEdited ? readEntry(one.number, before) : one;
  });
  return same(from, frames) ? undefined : { from, frames };
}

/** The entries of the frames in the device's string, by number. */
export function scheduleEntries(frames: readonly ScheduleFrame[]): Record<string, string> {
  return Object.fromEntries(frames.map((frame) => [frame.number, writeSchedule([frame])]));
}

function same(some: readonly ScheduleFrame[], others: readonly ScheduleFrame[]): boolean {
  return writeSchedule(some) === writeSchedule(others);
}

function frame(frames: readonly ScheduleFrame[], number: number): ScheduleFrame[] {
  return frames.filter((frame) => frame.number === number);
}
