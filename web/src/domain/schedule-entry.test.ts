import { expect, test } from 'vitest';
import { conflictsOf, daysOf, type Frame, slotsOn, start, stop, WEEK, withTimes } from './schedule';
import { cutAround, daySetsOf, framesFor, placed, splitAtMidnight } from './schedule-entry';
import { missingFrame } from './schedule-text';

const H = 60;

const frame = (number: number, from: number, to: number, dayOfTheWeek = 9): Frame =>
  withTimes({ ...missingFrame(number), active: true, dayOfTheWeek, intensity: 7 }, from, to);
const unused = (...numbers: number[]) => numbers.map(missingFrame);
const texts = (frames: readonly Frame[] | undefined) =>
  frames?.map((one) => [one.number, one.dayOfTheWeek, start(one), stop(one)]);

test('any days of the week are as few day sets as possible, each day once', () => {
  for (let bits = 0; bits < 128; bits += 1) {
    const days = WEEK.filter((day) => bits & (1 << (day - 1)));
    expect(daySetsOf(days).flatMap(daysOf).sort()).toEqual(days);
  }
  expect(
    [[1, 3, 5], [1, 2, 3, 4, 5], [6, 7], [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7], [5, 6, 7], []].map(daySetsOf),
  ).toEqual([[1, 3, 5], [9], [8], [9, 6], [0], [5, 8], []]);
});

test('an entry on several days takes the frames that it needs, or none if too few are unused', () => {
  const spans = [{ days: [1, 3, 5], from: 8 * H, to: 9 * H }];
  expect(texts(framesFor(frame(4, 0, 0), spans, unused(2, 7)))).toEqual([
    [4, 1, 8 * H, 9 * H],
    [2, 3, 8 * H, 9 * H],
    [7, 5, 8 * H, 9 * H],
  ]);
  expect(framesFor(frame(4, 0, 0), spans, unused(2))).toBeUndefined();
});

test('times past midnight are those until midnight, and the rest on the days that follow', () => {
  const night = { days: [6, 7], from: 22 * H, to: 2 * H };
  expect(splitAtMidnight(night)).toEqual([
    { days: [6, 7], from: 22 * H, to: 24 * H - 1 },
    { days: [7, 1], from: 0, to: 2 * H },
  ]);
  expect(splitAtMidnight({ ...night, to: 0 })).toEqual([{ days: [6, 7], from: 22 * H, to: 24 * H - 1 }]);
});

test('of frames that touch, the earlier one ends a minute earlier', () => {
  const day = frame(1, 8 * H, 12 * H);
  expect(texts(placed([day, ...unused(2)], frame(2, 12 * H, 14 * H)))).toEqual([
    [1, 9, 8 * H, 12 * H - 1],
    [2, 9, 12 * H, 14 * H],
  ]);
  expect(texts(placed([day, ...unused(2)], frame(2, 6 * H, 8 * H, 0)))).toEqual([
    [1, 9, 8 * H, 12 * H],
    [2, 0, 6 * H, 8 * H - 1],
  ]);
});

test.each<[string, Frame]>([
  ['on other days', frame(2, 12 * H, 14 * H, 8)],
  ['inactive', { ...frame(2, 12 * H, 14 * H), active: false }],
  ['a minute later', frame(2, 12 * H + 1, 14 * H)],
  ['an overlap', frame(2, 12 * H - 1, 14 * H)],
])('a frame that does not touch is stored as it is: %s', (_, second) => {
  const day = frame(1, 8 * H, 12 * H);
  expect(placed([day, ...unused(2)], second)).toEqual([day, second]);
});

test.each<[string, Frame[], Frame[], number[], unknown]>([
  [
    'is split around lunch on its days',
    [frame(2, 12 * H, 14 * H)],
    [frame(1, 8 * H, 18 * H)],
    [3],
    [
      [1, 9, 8 * H, 12 * H - 1],
      [3, 9, 14 * H + 1, 18 * H],
    ],
  ],
  [
    'keeps its other days whole',
    [frame(2, 12 * H, 14 * H, 9)],
    [frame(1, 8 * H, 18 * H, 0)],
    [3, 4],
    [
      [1, 9, 8 * H, 12 * H - 1],
      [3, 9, 14 * H + 1, 18 * H],
      [4, 8, 8 * H, 18 * H],
    ],
  ],
  [
    'is split once for an entry of several frames',
    [1, 2, 3, 4, 5].map((day) => frame(day + 1, 12 * H, 14 * H, day)),
    [frame(1, 8 * H, 18 * H)],
    [9],
    [
      [1, 9, 8 * H, 12 * H - 1],
      [9, 9, 14 * H + 1, 18 * H],
    ],
  ],
  ['is shortened at its end', [frame(2, 17 * H, 20 * H)], [frame(1, 8 * H, 18 * H)], [], [[1, 9, 8 * H, 17 * H - 1]]],
  [
    'and another one are shortened',
    [frame(2, 11 * H, 15 * H)],
    [frame(1, 8 * H, 12 * H), frame(5, 14 * H, 18 * H)],
    [],
    [
      [1, 9, 8 * H, 11 * H - 1],
      [5, 9, 15 * H + 1, 18 * H],
    ],
  ],
  ['is not split if no frame is unused', [frame(2, 12 * H, 14 * H)], [frame(1, 8 * H, 18 * H)], [], undefined],
  ['is not cut if nothing of it would be left', [frame(2, 8 * H, 18 * H)], [frame(1, 9 * H, 12 * H)], [3], undefined],
])('a schedule in conflict %s', (_, entry, others, free, expected) => {
  const frames = [...others, ...unused(...entry.map(({ number }) => number), ...free)];
  const cut = cutAround(entry, others, frames);
  expect(texts(cut)).toEqual(expected);
  const all = [...(cut ?? []), ...entry];
  if (cut) for (const { number } of all) expect(conflictsOf(all, number)).toEqual([]);
  // Together they run whenever the others did.
  if (cut) for (const day of WEEK) expect(ends(day, all)).toEqual(ends(day, [...others, ...entry]));
});

/** The first and the last running minute of a day. */
function ends(day: number, frames: Frame[]) {
  const slots = slotsOn(day, frames);
  return [Math.min(...slots.map(({ from }) => from)), Math.max(...slots.map(({ to }) => to))];
}
