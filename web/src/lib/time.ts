const LOCALE = 'en-US';
const ABSOLUTE = clock({ dateStyle: 'medium', timeStyle: 'short' });
const TIME_OF_DAY = clock({ timeStyle: 'short' });
const WALL_CLOCK = clock({ timeStyle: 'short', timeZone: 'UTC' });
const HOUR = clock({ hour: 'numeric', timeZone: 'UTC' });
const LOCAL_HOUR = clock({ hour: 'numeric' });
const MONTH_DAY = lazily(() => new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric' }));
const DAY = lazily(() => new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' }));
const RELATIVE = lazily(() => new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto', style: 'short' }));

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How a time of day is shown and picked: AM and PM, or the hours 0 to 23. */
export type TimeFormat = '12hour' | '24hour';
export const DEFAULT_TIME_FORMAT: TimeFormat = '12hour';

let chosen: TimeFormat = DEFAULT_TIME_FORMAT;

/** What the reader has chosen. */
export function timeFormat(): TimeFormat {
  return chosen;
}

/** From now on every time is in this format. Like a language it is one for the whole page. */
export function setTimeFormat(format: TimeFormat): void {
  chosen = format;
}

/** Made when it is first used: making all formats at once would delay the first page of a phone by a tenth of a second. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Formats times of day as the reader has chosen, whenever that was. */
function clock(options: Intl.DateTimeFormatOptions): (at: Date | number) => string {
  const format = (hourCycle: 'h12' | 'h23') => lazily(() => new Intl.DateTimeFormat(LOCALE, { ...options, hourCycle }));
  const [twelve, twentyFour] = [format('h12'), format('h23')];
  return (at) => (chosen === '24hour' ? twentyFour : twelve)().format(at);
}

/** 'Nov 20, 2026, 3:41 PM' in the reader's own time zone. */
export function dateTime(at: Date): string {
  return ABSOLUTE(at);
}

/** '3:41 PM' for a time of today, else with its date. */
export function shortTime(at: Date, now: Date): string {
  return at.toDateString() === now.toDateString() ? TIME_OF_DAY(at) : ABSOLUTE(at);
}

/** 'Nov 20' in the reader's own time zone. */
export function monthDay(at: Date): string {
  return MONTH_DAY().format(at);
}

/** '3:41 PM' for a time of today, 'Nov 20' for one of this year, else 'Nov 20, 2025'. */
export function dayOrTime(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return TIME_OF_DAY(at);
  return at.getFullYear() === now.getFullYear() ? monthDay(at) : DAY().format(at);
}

/** '3:41 PM' in the reader's own time zone. */
export function clockTime(at: Date): string {
  return TIME_OF_DAY(at);
}

/** '3 PM' in the reader's own time zone. */
export function hourText(at: Date): string {
  return LOCAL_HOUR(at);
}

/** '2026-11-20' in the reader's own time zone. */
export function isoDate(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** '3:41 PM' of a clock on a wall, wherever that is. */
export function timeOfDay(hour: number, minute: number): string {
  return WALL_CLOCK(Date.UTC(2000, 0, 1, hour, minute));
}

/** '3 PM' of a clock on a wall. */
export function hourOfDay(hour: number): string {
  return HOUR(Date.UTC(2000, 0, 1, hour));
}

/** A minute of the week on the clock of some wall. */
export interface WeekTime {
  /** Monday = 1. */
  day: number;
  /** Since midnight. */
  minute: number;
}

/** The day and the time of day in a time zone; undefined where the zone is unknown. */
export function weekTimeIn(timeZone: string | null, at: Date): WeekTime | undefined {
  if (!timeZone) return undefined;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone,
    });
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return {
      day: WEEKDAYS.indexOf(parts.weekday ?? '') + 1,
      minute: Number(parts.hour) * 60 + Number(parts.minute),
    };
  } catch {
    return undefined;
  }
}

/** '3 min. ago'; less than a minute, or a clock that runs ahead, is 'just now'. */
export function ago(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return RELATIVE().format(-Math.floor(ms / MINUTE_MS), 'minute');
  if (ms < DAY_MS) return RELATIVE().format(-Math.floor(ms / HOUR_MS), 'hour');
  return RELATIVE().format(-Math.floor(ms / DAY_MS), 'day');
}

const STALE_AFTER_MS = 2 * MINUTE_MS;

export function isStale(asOf: Date, now: Date): boolean {
  return now.getTime() - asOf.getTime() > STALE_AFTER_MS;
}
