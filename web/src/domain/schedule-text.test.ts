import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import type { Frame } from './schedule';
import { isUnused, missingFrame, readSchedule, writeSchedule } from './schedule-text';

interface Case {
  name: string;
  text: string;
  broken: number[];
  frames: Record<string, Omit<Frame, 'number'>>;
  written: string;
}

test.each(vectors<Case>('schedule-blob'))('$name', ({ text, broken, frames, written }) => {
  const expected = Array.from({ length: 21 }, (_, place) => ({ ...missingFrame(place + 1), ...frames[place + 1] }));
  const read = readSchedule(text);
  expect(read).toEqual({ frames: expected, broken });
  expect(writeSchedule(read.frames)).toBe(written);
});

test('a written schedule is read back', () => {
  const frames = Array.from({ length: 21 }, (_, place) => ({
    ...missingFrame(place + 1),
    active: place % 3 === 0,
    dayOfTheWeek: place % 10,
    intensity: 50 - place,
    stopHour: 23,
    stopMinute: 59 - place,
  }));
  expect(writeSchedule(frames).split(',')).toHaveLength(168);
  expect(readSchedule(writeSchedule(frames))).toEqual({ frames, broken: [] });
});

test('a frame is unused until a value is set', () => {
  expect(isUnused(missingFrame(4))).toBe(true);
  for (const part of [{ active: true }, { dayOfTheWeek: 1 }, { intensity: 2 }, { startMinute: 1 }, { stopHour: 23 }])
    expect(isUnused({ ...missingFrame(4), ...part })).toBe(false);
});
