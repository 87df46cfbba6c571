import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import {
  ACTIVITIES,
  byDay,
  explain,
  fittingDays,
  type History,
  knownPoints,
  lastDays,
  type Mark,
  offlineSpans,
  pointsOf,
  valueAt,
} from './history';

/** In the browser's time zone. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();
const step = (day: number, hour: number, value: number) => ({ at: at(day, hour), value });
const day = (day: number) => new Date(2026, 10, day);
const REFILL = { at: at(19, 18), kind: 'refill', text: 'Refill' } as const;

test('a day has its last level, its range of intensities and its share of time online', () => {
  const days = byDay(
    {
      from: at(18, 12),
      to: at(21, 12),
      level: [step(18, 12, 40), step(19, 6, 39), step(19, 18, 100), step(21, 6, 99)],
      intensity: [step(18, 18, 20), step(19, 10, 50), step(19, 11, 10)],
      activity: [],
      online: [step(18, 12, 1), step(19, 6, 0), step(19, 12, 1), step(21, 6, 0)],
      onlineSince: null,
      marks: [REFILL],
    },
    undefined,
    Temporal,
  );
  expect(days).toEqual([
    { start: day(21), level: 99, intensity: { least: 10, most: 10 }, runningHours: null, online: 0.5, marks: [] },
    { start: day(20), level: 100, intensity: { least: 10, most: 10 }, runningHours: null, online: 1, marks: [] },
    {
      start: day(19),
      level: 100,
      intensity: { least: 10, most: 20 },
      runningHours: null,
      online: 0.75,
      marks: [REFILL],
    },
    { start: day(18), level: 40, intensity: { least: 20, most: 20 }, runningHours: null, online: 1, marks: [] },
  ]);
});

test('a day has the hours in which the device ran', () => {
  const hours = byDay(stopped, undefined, Temporal).map(({ runningHours }) => runningHours);
  expect(hours).toEqual([0, 0, 0, 0, 3, 8]);
});

test('the days are those of the zone, also when clocks change', () => {
  const history = {
    from: '2026-10-31T12:00:00Z',
    to: '2026-11-02T12:00:00Z',
    level: [{ at: '2026-10-31T12:00:00Z', value: 40 }],
    intensity: [],
    activity: [],
    online: null,
    onlineSince: null,
    marks: [{ ...REFILL, at: '2026-11-02T04:59:00Z' }],
  };
  const days = byDay(history, 'America/New_York', Temporal).map(({ start, marks }) => [
    start.toISOString(),
    marks.length,
  ]);
  // New York leaves daylight saving time on November 1.
  expect(days).toEqual([
    ['2026-11-02T05:00:00.000Z', 0],
    ['2026-11-01T04:00:00.000Z', 1],
    ['2026-10-31T04:00:00.000Z', 0],
  ]);
});

test.each([
  // West of Greenwich, the day begins at one o'clock when clocks go forward at midnight.
  ['America/Santiago', '2026-09-04', ['04:00', '04:00', '04:00', '03:00'], [24, 24, 23]],
  ['America/Santiago', '2026-04-03', ['03:00', '03:00', '04:00', '04:00'], [24, 25, 24]],
  ['Atlantic/Azores', '2027-03-26', ['01:00', '01:00', '01:00', '00:00'], [24, 24, 23]],
  ['Atlantic/Azores', '2026-10-23', ['00:00', '00:00', '00:00', '01:00'], [24, 24, 25]],
  ['America/Havana', '2027-03-12', ['05:00', '05:00', '05:00', '04:00'], [24, 24, 23]],
  ['America/Havana', '2026-10-30', ['04:00', '04:00', '04:00', '05:00'], [24, 24, 25]],
  ['Africa/Cairo', '2026-04-22', ['22:00', '22:00', '22:00', '21:00'], [24, 24, 23]],
  ['Africa/Cairo', '2026-10-27', ['21:00', '21:00', '21:00', '22:00'], [24, 24, 25]],
  ['Asia/Beirut', '2026-03-27', ['22:00', '22:00', '22:00', '21:00'], [24, 24, 23]],
  ['Asia/Beirut', '2026-10-22', ['21:00', '21:00', '21:00', '22:00'], [24, 24, 25]],
  ['Australia/Lord_Howe', '2026-10-02', ['13:30', '13:30', '13:30', '13:00'], [24, 24, 23.5]],
  ['Australia/Lord_Howe', '2026-04-03', ['13:00', '13:00', '13:00', '13:30'], [24, 24, 24.5]],
])('the history in %s from %s has one row for each day', (zone, first, begins, lengths) => {
  const from = `${first}T12:00:00Z`;
  const to = new Date(Date.parse(from) + 3 * 86_400_000).toISOString();
  const history = {
    from,
    to,
    level: [{ at: from, value: 40 }],
    intensity: [],
    online: null,
    onlineSince: null,
    marks: [],
  };
  const days = byDay(
    { ...history, activity: [{ at: '2020-01-01T00:00:00Z', value: ACTIVITIES.running }] },
    zone,
    Temporal,
  );
  const oldestFirst = days.toReversed();
  expect(oldestFirst.map(({ start }) => start.toISOString().slice(11, 16))).toEqual(begins);
  expect(oldestFirst.slice(0, -1).map(({ runningHours }) => runningHours)).toEqual(lengths);
});

test('unknown times have no values', () => {
  const days = byDay(
    {
      from: at(20, 0),
      to: at(22, 0),
      level: [step(21, 0, 7)],
      intensity: [],
      activity: [],
      online: null,
      onlineSince: null,
      marks: [],
    },
    undefined,
    Temporal,
  );
  expect(days).toEqual([
    { start: day(21), level: 7, intensity: null, runningHours: null, online: null, marks: [] },
    { start: day(20), level: null, intensity: null, runningHours: null, online: null, marks: [] },
  ]);
});

test('a line extends to the end of the interval', () => {
  const seconds = (day: number) => Date.parse(at(day, 0)) / 1000;
  expect(pointsOf([step(20, 0, 5), step(21, 0, 6)], at(23, 0))).toEqual({
    times: [seconds(20), seconds(21), seconds(23)],
    values: [5, 6, 6],
  });
  expect(pointsOf([], at(23, 0))).toEqual({ times: [], values: [] });
});

test.each([
  [18, 11, undefined],
  [18, 12, 40],
  [19, 5, 40],
  [19, 6, 39],
  [30, 0, 39],
])('on day %i at %i the value is %s', (day, hour, value) => {
  expect(valueAt([step(18, 12, 40), step(19, 6, 39)], Date.parse(at(day, hour)))).toBe(value);
});

const ALL = {
  from: at(1, 0),
  to: at(61, 0),
  level: [],
  intensity: [],
  activity: [],
  online: null,
  onlineSince: null,
  marks: [],
};

test.each([
  ['reaches back to the begin', [step(1, 0, 5)], [1, 7, 30, 60]],
  ['goes back 31 days', [step(30, 0, 5)], [1, 7, 30, 60]],
  ['goes back 30 days', [step(31, 0, 5)], [1, 7, 30]],
  ['goes back 7 days', [step(54, 0, 5)], [1, 7]],
  ['goes back a day', [step(60, 0, 5)], [1]],
  ['is not there', [], [1]],
])('when the data %s, these ranges fit: %s', (_, level, days) => {
  expect(fittingDays({ ...ALL, level })).toEqual(days);
});

test('the last days of a history, and their marks, begin no earlier than the history', () => {
  const marks = [REFILL, { ...REFILL, at: at(55, 0) }];
  expect(lastDays({ ...ALL, marks }, 7).marks).toEqual(marks.slice(1));
  expect(lastDays(ALL, 7).from).toBe(at(54, 0));
  expect(lastDays(ALL, 60).from).toBe(at(1, 0));
  expect(lastDays({ ...ALL, from: at(60, 0) }, 7).from).toBe(at(60, 0));
});

const { off, empty, paused, running } = ACTIVITIES;

/** From November 18 to 24; on from 9 to 17 o'clock of the 18th and of the 19th until it is switched off at noon. */
const stopped: History = {
  from: at(18, 0),
  to: at(24, 0),
  level: [],
  intensity: [],
  activity: [step(18, 0, paused), step(18, 9, running), step(18, 17, paused), step(19, 9, running), step(19, 12, off)],
  online: [step(18, 0, 1), step(20, 6, 0), step(20, 8, 1)],
  onlineSince: null,
  marks: [],
};
const command = (day: number, hour: number, effect: Mark['effect']): Mark => {
  return { at: at(day, hour), kind: 'command', text: `${effect}`, effect };
};
const OFF = command(19, 11, 'off');
const SAME_SECOND = { ...OFF, at: new Date(2026, 10, 19, 12, 0, 0, 900).toISOString() };

test.each<[string, Mark[], Mark | null]>([
  ['the command to switch it off', [OFF], OFF],
  ['a command that waited for the device', [command(17, 0, 'off')], command(17, 0, 'off')],
  ['a command of the same second', [SAME_SECOND], SAME_SECOND],
  ['no command of this console', [], null],
  ['no later command', [command(19, 13, 'off')], null],
  ['no command before it was switched on', [command(18, 1, 'off'), command(18, 8, 'on')], null],
  ['no command without an effect', [{ ...OFF, effect: undefined }], null],
])('a device is off because of %s', (_, marks, cause) => {
  const found = explain({ ...stopped, marks }, Date.parse(at(21, 0)));
  expect(found).toEqual({ activity: off, since: at(19, 12), until: null, cause, offlineSince: null });
});

test('a paused device names the change of its schedule, if there was one since it last ran', () => {
  const changed = command(18, 16, 'schedule');
  const marks = [command(18, 1, 'schedule'), changed];
  const night = explain({ ...stopped, marks }, Date.parse(at(18, 20)));
  expect(night).toEqual({
    activity: paused,
    since: at(18, 17),
    until: at(19, 9),
    cause: changed,
    offlineSince: null,
  });
  expect(explain({ ...stopped, marks: [command(18, 1, 'schedule')] }, Date.parse(at(18, 20)))?.cause).toBeNull();
});

test('activity, intensity and hours are unknown while a device is offline', () => {
  const week: History = {
    ...stopped,
    intensity: [step(18, 0, 20)],
    activity: [step(18, 0, running)],
    online: [step(18, 0, 1), step(19, 6, 0), step(21, 12, 1)],
  };
  const seconds = (day: number, hour: number) => Date.parse(at(day, hour)) / 1000;
  expect(offlineSpans(week)).toEqual([{ from: seconds(19, 6), to: seconds(21, 12) }]);
  expect(offlineSpans({ ...week, from: at(20, 0) })).toEqual([{ from: seconds(20, 0), to: seconds(21, 12) }]);
  expect(knownPoints(week.activity, week)).toEqual({
    times: [seconds(18, 0), seconds(19, 6), seconds(21, 12), seconds(24, 0)],
    values: [running, null, running, running],
  });
  const days = byDay(week, undefined, Temporal).toReversed();
  expect(days.map(({ runningHours }) => runningHours)).toEqual([24, 6, null, 12, 24, 24]);
  expect(days.map(({ intensity }) => intensity?.most ?? null)).toEqual([20, 20, null, 20, 20, 20]);
});

test('an activity from before the history has no beginning, and an offline device is reported as such', () => {
  const first = explain(stopped, Date.parse(at(18, 5)));
  expect(first).toEqual({ activity: paused, since: null, until: at(18, 9), cause: null, offlineSince: null });
  const during = explain(stopped, Date.parse(at(20, 7)));
  expect(during).toEqual({ activity: off, since: at(19, 12), until: null, cause: null, offlineSince: at(20, 6) });
  // Offline since before the history begins: the same time in each range.
  const gone = { ...stopped, online: [step(18, 0, 0)], onlineSince: at(2, 7) };
  const unknown = { activity: null, since: null, until: null, cause: null, offlineSince: at(2, 7) };
  for (const days of [1, 7] as const) expect(explain(lastDays(gone, days), Date.parse(at(23, 0)))).toEqual(unknown);
  expect(explain({ ...gone, onlineSince: null }, Date.parse(at(23, 0)))?.offlineSince).toBe(at(18, 0));
  expect(explain({ ...stopped, activity: [step(19, 0, empty)] }, Date.parse(at(18, 5)))).toBeUndefined();
});
