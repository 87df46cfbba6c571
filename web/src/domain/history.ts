import { HISTORY_DAYS, type HistoryDays } from './history-days';
import { epochMs, instant } from './instant';
import type { TemporalApi } from './temporal';
import { daysIn, type Zone } from './time-zone';

/** The steps of a value over time: each value holds until the next one. */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface Step {
  /** RFC 3339. */
  at: string;
  value: number;
}

/** An action on the device. */
export interface Mark {
  /** RFC 3339. */
  at: string;
  kind: 'command' | 'change' | 'refused' | 'unanswered' | 'refill';
  /** A description of the action. */
  text: string;
  /** The effect of a command on the activity, if it has one. */
  effect?: 'off' | 'on' | 'schedule' | undefined;
}

/** The activities of a device as values of steps. */
export const ACTIVITIES = { off: 0, empty: 1, paused: 2, running: 3 } as const;

/** An activity at a time, and the command that led to it. */
export interface Explanation {
  /** Null if the device was offline and its activity before is not part of the history. */
  activity: number | null;
  /** Null if it was the same at the beginning of the history. */
  since: string | null;
  /** Null if it lasts until now, or if the device was offline. */
  until: string | null;
  /** The command through this console that switched the device off or changed its schedule. */
  cause: Mark | null;
  /** Since when the device was offline; null if it was online or that is unknown. */
  offlineSince: string | null;
}

export interface History {
  from: string;
  to: string;
  /** Percent. */
  level: readonly Step[];
  intensity: readonly Step[];
  /** Values of `ACTIVITIES`. */
  activity: readonly Step[];
  /** 1 online, 0 offline; null if it is not recorded. */
  online: readonly Step[] | null;
  /** Since when the first of these has held, however long before `from`; null if that is unknown. */
  onlineSince: string | null;
  /** Oldest first. */
  marks: readonly Mark[];
}

/** A calendar day in a time zone. */
export interface Day {
  start: Date;
  /** The last known value at the end of the day. */
  level: number | null;
  intensity: { least: number; most: number } | null;
  /** Hours in which the device ran; null if it is unknown for the whole day. */
  runningHours: number | null;
  /** Share of the known time, 0 to 1. */
  online: number | null;
  marks: readonly Mark[];
}

interface Stretch {
  from: number;
  to: number;
  value: number;
}

/** The days of a time zone, newest first. */
export function byDay(history: History, zone: Zone, temporal: TemporalApi): Day[] {
  const { from, to, level, intensity, activity, online, marks } = history;
  const levels = stretchesOf(level, to);
  const onlines = stretchesOf(online ?? [], to);
  const activities = known(stretchesOf(activity, to), onlines);
  const intensities = known(stretchesOf(intensity, to), onlines);
  const days = daysIn(instant(from), instant(to), zone, temporal).reverse();
  return days.map(({ start, end: nextStart }) => {
    const [begin, end] = [start.getTime(), nextStart.getTime()];
    const values = within(intensities, begin, end).map(({ value }) => value);
    return {
      start,
      level: within(levels, begin, end).at(-1)?.value ?? null,
      intensity: values.length > 0 ? { least: Math.min(...values), most: Math.max(...values) } : null,
      runningHours: runningHours(within(activities, begin, end)),
      online: mean(within(onlines, begin, end)),
      marks: marks.filter(({ at }) => epochMs(at) >= begin && epochMs(at) < end),
    };
  });
}

/** Seconds since 1970 and values for a chart; the last value extends to the end. */
export function pointsOf(steps: readonly Step[], to: string): { times: number[]; values: number[] } {
  const last = steps.at(-1);
  const all = last ? [...steps, { at: to, value: last.value }] : [];
  return { times: all.map(({ at }) => epochMs(at) / 1000), values: all.map(({ value }) => value) };
}

/** The points of a value that is unknown while the device is offline, which is null. */
export function knownPoints(
  steps: readonly Step[],
  { online, to }: History,
): { times: number[]; values: (number | null)[] } {
  const first = steps[0];
  if (!first) return { times: [], values: [] };
  const changes = (online ?? []).filter(({ at }) => epochMs(at) > epochMs(first.at));
  const all = new Set([...steps, ...changes, { at: to }].map(({ at }) => epochMs(at)));
  const times = [...all].sort((one, other) => one - other);
  const [values, onlines] = [steps, online ?? []].map((known) => valuesAt(known, times));
  return {
    times: times.map((time) => time / 1000),
    values: times.map((_, place) => (onlines?.[place] === 0 ? null : (values?.[place] ?? null))),
  };
}

/** The values at these ascending times in milliseconds, in one walk. */
function valuesAt(steps: readonly Step[], times: readonly number[]): (number | undefined)[] {
  const begins = steps.map(({ at }) => epochMs(at));
  let next = 0;
  return times.map((time) => {
    while ((begins[next] ?? Number.POSITIVE_INFINITY) <= time) next += 1;
    return steps[next - 1]?.value;
  });
}

/** The value at a time in milliseconds; undefined before the first value, and while the device is offline. */
export function knownAt(steps: readonly Step[], online: History['online'], time: number): number | undefined {
  return valueAt(online ?? [], time) === 0 ? undefined : valueAt(steps, time);
}

/** When the device was offline, in seconds since 1970. */
export function offlineSpans({ from, to, online }: History): { from: number; to: number }[] {
  return within(stretchesOf(online ?? [], to), epochMs(from), epochMs(to))
    .filter(({ value }) => value === 0)
    .map(({ from, to }) => ({ from: from / 1000, to: to / 1000 }));
}

/** The value at a time in milliseconds; undefined before the first value. */
export function valueAt(steps: readonly Step[], time: number): number | undefined {
  return steps.findLast(({ at }) => epochMs(at) <= time)?.value;
}

/**
 * Explains the activity at a time in milliseconds; undefined where it is unknown. While the device was offline, the activity is the
 * last known one.
 */
export function explain(history: History, at: number): Explanation | undefined {
  const { from, activity, marks } = history;
  const offlineSince = offlineSinceAt(history, at);
  const time = offlineSince === null ? at : epochMs(offlineSince);
  const place = activity.findLastIndex(({ at }) => epochMs(at) <= time);
  const step = activity[place];
  if (!step) return offlineSince === null ? undefined : { ...NOTHING_KNOWN, offlineSince };
  return {
    activity: step.value,
    since: epochMs(step.at) <= epochMs(from) ? null : step.at,
    until: offlineSince === null ? (activity[place + 1]?.at ?? null) : null,
    cause: causeOf(step, activity[place - 1], marks, time) ?? null,
    offlineSince,
  };
}

const NOTHING_KNOWN = { activity: null, since: null, until: null, cause: null };

/** Since when a device was offline at a time in milliseconds, also if it was before the history begins; null if it was not. */
export function offlineSinceAt({ online, onlineSince }: History, time: number): string | null {
  const place = online?.findLastIndex(({ at }) => epochMs(at) <= time) ?? -1;
  const connection = online?.[place];
  if (connection?.value !== 0) return null;
  return (place === 0 ? onlineSince : null) ?? connection.at;
}

/** A device that was offline may carry out a command long after it was sent. Its time is known to the second only. */
function causeOf(step: Step, previous: Step | undefined, marks: readonly Mark[], time: number): Mark | undefined {
  const last = (effects: Mark['effect'][], until: number) =>
    marks.findLast(({ at, effect }) => effects.includes(effect) && epochMs(at) <= until);
  if (step.value === ACTIVITIES.off) {
    const mode = last(['off', 'on'], epochMs(step.at) + SECOND_MS);
    return mode?.effect === 'off' ? mode : undefined;
  }
  if (step.value !== ACTIVITIES.paused) return undefined;
  const schedule = last(['schedule', 'on'], time);
  return schedule && previous && epochMs(schedule.at) >= epochMs(previous.at) ? schedule : undefined;
}

/** The ranges that show more than the next shorter one. Data that begins at `from` may have been cut off there. */
export function fittingDays(history: History): HistoryDays[] {
  const age = ageOf(history);
  return HISTORY_DAYS.filter((_, place) => place === 0 || age > (HISTORY_DAYS[place - 1] ?? 0));
}

/** The age of the oldest data in days; infinite if it is older than the history. */
function ageOf({ from, to, level, intensity, online, marks }: History): number {
  const begins = [level, intensity, online ?? [], marks].flatMap(([first]) => (first ? [epochMs(first.at)] : []));
  const earliest = Math.min(...begins);
  return earliest <= epochMs(from) ? Number.POSITIVE_INFINITY : (epochMs(to) - earliest) / DAY_MS;
}

/** The last days of a history. */
export function lastDays(history: History, days: HistoryDays): History {
  const begin = Math.max(epochMs(history.from), epochMs(history.to) - days * DAY_MS);
  const marks = history.marks.filter(({ at }) => epochMs(at) >= begin);
  return { ...history, from: new Date(begin).toISOString(), marks };
}

function stretchesOf(steps: readonly Step[], to: string): Stretch[] {
  return steps.map(({ at, value }, place) => ({
    from: epochMs(at),
    to: epochMs(steps[place + 1]?.at ?? to),
    value,
  }));
}

/** The parts of the intervals between two times. */
function within(stretches: readonly Stretch[], begin: number, end: number): Stretch[] {
  return stretches
    .map(({ from, to, value }) => ({ from: Math.max(from, begin), to: Math.min(to, end), value }))
    .filter(({ from, to }) => from < to);
}

/** The parts of the intervals in which the device was not offline. */
function known(stretches: readonly Stretch[], onlines: readonly Stretch[]): Stretch[] {
  const offline = onlines.filter(({ value }) => value === 0);
  return offline.reduce<Stretch[]>(
    (left, { from, to }) => [
      ...within(left, Number.NEGATIVE_INFINITY, from),
      ...within(left, to, Number.POSITIVE_INFINITY),
    ],
    [...stretches],
  );
}

function runningHours(activities: readonly Stretch[]): number | null {
  if (activities.length === 0) return null;
  const running = activities.filter(({ value }) => value === ACTIVITIES.running);
  return running.reduce((sum, { from, to }) => sum + (to - from), 0) / HOUR_MS;
}

/** The mean over time; null for an empty interval. */
function mean(stretches: readonly Stretch[]): number | null {
  const total = stretches.reduce((sum, { from, to }) => sum + (to - from), 0);
  const weightedSum = stretches.reduce((sum, { from, to, value }) => sum + (to - from) * value, 0);
  return total > 0 ? weightedSum / total : null;
}
