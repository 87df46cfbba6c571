import { epochMs } from './instant';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
const DAYS_OF_WEEK = 7;
/** The first day of the epoch was a Thursday. */
const EPOCH_WEEKDAY = 3;

/** A value for each of several spans of time, each of which ends where the next one begins. */
export interface Spans {
  /** Their beginnings, and the end of the last one, in seconds since 1970. */
  times: number[];
  series: (number | null)[][];
}

/** The beginning of a day of UTC in seconds since 1970. */
export function dayStart(day: string): number {
  return epochMs(`${day}T00:00:00Z`) / 1000;
}

/** The hours of some days, one after the other. Hours after the last value are left out. */
export function hoursOf(days: readonly { day: string; online: readonly (number | null)[] }[]): Spans {
  const values = days.flatMap(({ online }) => online);
  const length = values.findLastIndex((value) => value !== null) + 1;
  const first = days[0] ? dayStart(days[0].day) : 0;
  const times = Array.from({ length: length + 1 }, (_, hour) => first + hour * HOUR_S);
  return { times, series: [values.slice(0, length)] };
}

/** Several values of some days. Days after the last value are left out. */
export function daysOf<Day extends { day: string }>(
  days: readonly Day[],
  values: readonly ((day: Day, place: number) => number | null)[],
): Spans {
  const all = values.map((value) => days.map(value));
  const length = Math.max(0, ...all.map((one) => one.findLastIndex((value) => value !== null) + 1));
  const first = days[0] ? dayStart(days[0].day) : 0;
  const times = Array.from({ length: length + 1 }, (_, day) => first + day * DAY_S);
  return { times, series: all.map((one) => one.slice(0, length)) };
}

/** A week, which begins on a Monday. */
export interface Week {
  /** In seconds since 1970. */
  start: number;
  /** Null if nothing is known of it. */
  refills: number | null;
}

/** The refills by week. The first and the last week may have fewer days. */
export function weeksOf(days: readonly { day: string; refills: number | null }[]): Week[] {
  const weeks = new Map<number, number | null>();
  for (const { day, refills } of days) {
    const start = weekStart(dayStart(day));
    const before = weeks.get(start) ?? null;
    weeks.set(start, refills === null ? before : (before ?? 0) + refills);
  }
  return [...weeks].map(([start, refills]) => ({ start, refills }));
}

function weekStart(day: number): number {
  const number = day / DAY_S;
  return (number - ((number + EPOCH_WEEKDAY) % DAYS_OF_WEEK)) * DAY_S;
}

/** The lowest, average and highest of the known numbers; null without any. */
export function rangeOf(values: readonly (number | null)[]): { least: number; mean: number; most: number } | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const sum = known.reduce((sum, value) => sum + value, 0);
  return { least: Math.min(...known), mean: sum / known.length, most: Math.max(...known) };
}

/** Sums of each series and those before it. Unknown if any of them is. */
export function stacked(series: readonly (readonly (number | null)[])[]): (number | null)[][] {
  let below: (number | null)[] = [];
  return series.map((values) => {
    below = values.map((value, place) => {
      const lower = below.length > 0 ? (below[place] ?? null) : 0;
      return value === null || lower === null ? null : lower + value;
    });
    return below;
  });
}
