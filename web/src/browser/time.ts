import type { WeekTime } from '@/domain/schedule';
import { shownZone, type Zone, zoneName } from '@/domain/time-zone';
import { dateLocale } from './locale';

const ABSOLUTE = clock({ dateStyle: 'medium', timeStyle: 'short' });
const TIME_OF_DAY = clock({ timeStyle: 'short' });
const WALL_CLOCK = clock({ timeStyle: 'short', timeZone: 'UTC' });
const HOUR = clock({ hour: 'numeric', timeZone: 'UTC' });
const LOCAL_HOUR = clock({ hour: 'numeric' });
const MONTH_DAY = clock({ month: 'short', day: 'numeric' });
const DAY = clock({ dateStyle: 'medium' });
const RELATIVE = lazily(() => new Intl.RelativeTimeFormat('en-US', { numeric: 'auto', style: 'short' }));

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const HALF_YEAR_MS = 180 * DAY_MS;

/** The format of times of day: AM and PM, or hours from 0 to 23. */
export type TimeFormat = '12hour' | '24hour';

let chosen: TimeFormat = '12hour';

/** The user's format. */
export function timeFormat(): TimeFormat {
  return chosen;
}

/** Sets the format of all times; like the language, it applies to the whole page. Null: as the browser's language has it. */
export function setTimeFormat(format: TimeFormat | null): void {
  chosen = format ?? localTimeFormat();
}

/** The format of clocks in the reader's country. */
export function localTimeFormat(): TimeFormat {
  const { hour12 } = new Intl.DateTimeFormat(dateLocale(), { hour: 'numeric' }).resolvedOptions();
  return hour12 ? '12hour' : '24hour';
}

/** Created at first use: creating all formats at once delays the first page on a phone by a tenth of a second. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Formats times in the user's current format and in a time zone, by default the browser's. */
function clock(options: Intl.DateTimeFormatOptions): (at: Date | number, zone?: Zone) => string {
  const formats = new Map<string, Intl.DateTimeFormat>();
  return (at, of) => {
    const zone = shownZone(of);
    const hourCycle = chosen === '24hour' ? 'h23' : 'h12';
    const locale = dateLocale();
    const key = `${locale} ${hourCycle} ${zone}`;
    const format =
      formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, hourCycle, ...(zone && { timeZone: zone }) });
    formats.set(key, format);
    return format.format(at);
  };
}

/** Whether clocks in the zone show another time than the reader's at this moment. */
export function isForeign(at: Date, zone: Zone): boolean {
  return ABSOLUTE(at, zone) !== ABSOLUTE(at);
}

/** Appends the name of the zone if it is not the reader's. */
function named(text: string, at: Date, zone: Zone): string {
  if (typeof zone === 'object') return noted(text, zone);
  return zone !== undefined && isForeign(at, zone) ? `${text} ${zoneName(at, zone)}` : text;
}

/** Says that a time is not that of its zone, which the browser does not know. */
function noted(text: string, zone: Zone): string {
  return typeof zone === 'object' ? `${text} (your time; the device is in ${zone.unknown})` : text;
}

/** 'Nov 20, 2026, 3:41 PM' in the browser's time zone, or 'Nov 20, 2026, 3:41 PM PST' in another one. */
export function dateTime(at: Date, zone?: Zone): string {
  return named(ABSOLUTE(at, zone), at, zone);
}

/** '3:41 PM' today, otherwise with the date; with the name of another zone. */
export function shortTime(at: Date, now: Date, zone?: Zone): string {
  return DAY(at, zone) === DAY(now, zone) ? clockTime(at, zone) : dateTime(at, zone);
}

/** 'Nov 20' in a time zone, by default the browser's. */
export function monthDay(at: Date, zone?: Zone): string {
  return MONTH_DAY(at, zone);
}

/** '3:41 PM' today, 'Nov 20' this year, otherwise 'Nov 20, 2025'. */
export function dayOrTime(at: Date, now: Date): string {
  if (at.toDateString() === now.toDateString()) return TIME_OF_DAY(at);
  return at.getFullYear() === now.getFullYear() ? monthDay(at) : DAY(at);
}

/** 'Nov 20' within half a year, otherwise 'Nov 20, 2027'; in a time zone, by default the browser's. Says so for an unknown one. */
export function nearDay(at: Date, now: Date, zone?: Zone): string {
  return noted(Math.abs(at.getTime() - now.getTime()) < HALF_YEAR_MS ? monthDay(at, zone) : DAY(at, zone), zone);
}

/** '3:41 PM' in the browser's time zone, or '3:41 PM PST' in another one. */
export function clockTime(at: Date, zone?: Zone): string {
  return named(TIME_OF_DAY(at, zone), at, zone);
}

/** '3 PM' in a time zone, by default the browser's. */
export function hourText(at: Date, zone?: Zone): string {
  return LOCAL_HOUR(at, zone);
}

/** '2026-11-20' in the browser's time zone. */
export function isoDate(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
}

/** '3:41 PM' as local time, without a time zone. */
export function timeOfDay(hour: number, minute: number): string {
  return WALL_CLOCK(Date.UTC(2000, 0, 1, hour, minute));
}

/** '3 PM' as local time, without a time zone. */
export function hourOfDay(hour: number): string {
  return HOUR(Date.UTC(2000, 0, 1, hour));
}

/** Day and time of day in a time zone; undefined if the zone is unknown. */
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

/** '3 min. ago'; 'just now' for less than a minute or a time in the future. */
export function ago(at: Date, now: Date): string {
  const ms = now.getTime() - at.getTime();
  if (ms < MINUTE_MS) return 'just now';
  if (ms < HOUR_MS) return RELATIVE().format(-Math.floor(ms / MINUTE_MS), 'minute');
  if (ms < DAY_MS) return RELATIVE().format(-Math.floor(ms / HOUR_MS), 'hour');
  return RELATIVE().format(-Math.floor(ms / DAY_MS), 'day');
}

/** The number of full days between two times, at least 0. */
export function fullDays(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / DAY_MS));
}

const STALE_AFTER_MS = 2 * MINUTE_MS;
/** The console compares a fleet of a million devices with the cloud in a quarter of an hour. */
const COMPARISON_LATE_AFTER_MS = HOUR_MS;

export function isStale(asOf: Date, now: Date): boolean {
  return now.getTime() - asOf.getTime() > STALE_AFTER_MS;
}

/** Whether changes by other applications are missing for unusually long. */
export function isComparisonLate(asOf: Date, now: Date): boolean {
  return now.getTime() - asOf.getTime() > COMPARISON_LATE_AFTER_MS;
}
