import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { t } from '@/i18n/en';
import { conflictsOf, DAY_CHOICES, daysOf, type Frame, inConflict, WEEK } from './schedule';
import { missingFrame } from './schedule-text';

type NoNumber = Omit<Frame, 'number'>;

test('frames are in conflict exactly where the vectors say so', () => {
  const cases = vectors<{ a: NoNumber; b: NoNumber; conflict: boolean }>('schedule-conflict');
  expect(cases.length).toBeGreaterThan(100);
  for (const { a, b, conflict } of cases) {
    expect([a, b, inConflict({ number: 1, ...a }, { number: 2, ...b })]).toEqual([a, b, conflict]);
  }
});

test('a frame is never in conflict with itself', () => {
  const weekdays = { ...missingFrame(1), active: true, dayOfTheWeek: 9 };
  const friday = { ...missingFrame(2), active: true, dayOfTheWeek: 5 };
  const saturday = { ...missingFrame(3), active: true, dayOfTheWeek: 6 };
  const frames = [weekdays, friday, saturday];
  expect(conflictsOf(frames, 1)).toEqual([friday]);
  expect(conflictsOf(frames, 3)).toEqual([]);
  expect(conflictsOf(frames, 4)).toEqual([]);
});

test('the choices stand in their order, with their labels and their rows of the chart', () => {
  const rows = DAY_CHOICES.map((days) => [t.schedule.days[days], WEEK.filter((day) => daysOf(days).includes(day))]);
  expect(rows).toEqual([
    ['All Days', [1, 2, 3, 4, 5, 6, 7]],
    ['Monday', [1]],
    ['Tuesday', [2]],
    ['Wednesday', [3]],
    ['Thursday', [4]],
    ['Friday', [5]],
    ['Saturday', [6]],
    ['Sunday', [7]],
    ['Weekend Days', [6, 7]],
    ['Weekdays', [1, 2, 3, 4, 5]],
  ]);
  expect(WEEK.map((day) => t.schedule.days[day])).toEqual([
    'Monday',
    'Tuesday',
    'Wednesday',
    'Thursday',
    'Friday',
    'Saturday',
    'Sunday',
  ]);
});
