import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { t } from '@/i18n/en';
import { conflictsOf, DAY_CHOICES, daysOf, type Frame, fitsOf, inConflict, slotsOn, WEEK, withTimes } from './schedule';
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

test('the choices are in order, with their labels and their rows of the chart', () => {
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

test('a chart has every active frame on each of its days, at its hours and to the end of its last minute', () => {
  const frame = (number: number, part: Partial<Frame>): Frame => ({ ...missingFrame(number), active: true, ...part });
  const hours = (day: number, frames: Frame[]) =>
    slotsOn(day, frames).map(({ frame, from, to }) => [frame.number, from * 24, to * 24]);
  const evening = frame(1, { dayOfTheWeek: 9, startHour: 18, stopHour: 23, stopMinute: 59 });
  const weekend = frame(2, { dayOfTheWeek: 8, startHour: 6, startMinute: 30, stopHour: 9, stopMinute: 44 });
  const daily = frame(3, { dayOfTheWeek: 0, startHour: 12, stopHour: 12, stopMinute: 29 });
  const tuesday = frame(4, { dayOfTheWeek: 2 });
  const inactive = frame(5, { active: false, stopHour: 23 });
  const never = frame(6, { startHour: 9, stopHour: 8 });
  const frames = [evening, weekend, daily, tuesday, inactive, never];

  const weekday = [
    [3, 12, 12.5],
    [1, 18, 24],
  ];
  const saturday = [
    [2, 6.5, 9.75],
    [3, 12, 12.5],
  ];
  const minute = [4, 0, 1 / 60];
  const week = [weekday, [minute, ...weekday], weekday, weekday, weekday, saturday, saturday];
  expect(WEEK.map((day) => hours(day, frames))).toEqual(week);
});

type Times = readonly [from: number, to: number];

test.each<[string, Times, Times[], Times[]]>([
  ['overlaps the end of another', [600, 720], [[540, 630]], [[631, 720]]],
  ['overlaps the start of another', [600, 720], [[690, 800]], [[600, 689]]],
  ['touches another', [600, 720], [[720, 800]], [[600, 719]]],
  [
    'surrounds others',
    [600, 720],
    [
      [690, 700],
      [630, 640],
    ],
    [
      [600, 629],
      [701, 720],
    ],
  ],
  [
    'has others at both ends, and keeps its longest free time',
    [600, 720],
    [
      [590, 610],
      [615, 620],
      [700, 730],
    ],
    [[621, 699]],
  ],
  ['is covered by another', [600, 720], [[600, 720]], []],
  [
    'is covered by others together',
    [0, 1439],
    [
      [0, 700],
      [701, 1439],
    ],
    [],
  ],
  ['meets none', [600, 720], [], [[600, 720]]],
])('a frame that %s fits where none of them runs', (_, times, others, fits) => {
  const frame = (number: number, [from, to]: Times) =>
    withTimes({ ...missingFrame(number), active: true, dayOfTheWeek: 9, intensity: 7 }, from, to);
  const all = others.map((other, place) => frame(place + 2, other));
  const found = fitsOf(frame(1, times), all);
  expect(found).toEqual(fits.map((fit) => frame(1, fit)));
  for (const fit of found) expect(conflictsOf([fit, ...all], 1)).toEqual([]);
});
