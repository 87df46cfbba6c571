import type { TemporalApi } from './temporal';

/** An IANA name that the browser knows, as in 'Europe/Oslo'; undefined for the browser's own zone. */
export type Zone = string | undefined | UnknownZone;

/** A zone that the browser does not know: times are shown in the browser's own, with a note. */
export interface UnknownZone {
  unknown: string;
}

const LOCALE = 'en-US';
const zones = new Map<string, Zone>();

/** The IANA name of the browser's own zone. */
export function ownZoneName(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The zone of this name; the browser's own if there is none. */
export function zoneOf(name: string | null): Zone {
  if (!name) return undefined;
  const zone = zones.get(name) ?? (isZone(name) ? name : { unknown: name });
  zones.set(name, zone);
  return zone;
}

/** The one of these names that is the browser's zone, which the browser may know by a former name, as in 'Asia/Calcutta'. */
export function sameZone(names: readonly string[], browserZone: string): string | undefined {
  const nameHere = (name: string) =>
    isZone(name) ? new Intl.DateTimeFormat(LOCALE, { timeZone: name }).resolvedOptions().timeZone : undefined;
  return names.includes(browserZone) ? browserZone : names.find((name) => nameHere(name) === browserZone);
}

/** The name of the zone in which times are shown; undefined for the browser's own. */
export function shownZone(zone: Zone): string | undefined {
  return typeof zone === 'string' ? zone : undefined;
}

function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat(LOCALE, { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** 'PST', or 'GMT+9' for a zone without a common abbreviation. */
export function zoneName(at: Date, zone: string): string {
  const format = new Intl.DateTimeFormat(LOCALE, { timeZone: zone, timeZoneName: 'short' });
  return format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** A calendar day: midnight to midnight, or from and to the first instant of a day whose midnight is skipped. */
export interface DaySpan {
  start: Date;
  end: Date;
}

/** The calendar days of a zone that contain a part of the time between two instants, oldest first. */
export function daysIn(from: Date, to: Date, zone: Zone, { Instant, Now }: TemporalApi): DaySpan[] {
  const id = shownZone(zone) ?? Now.timeZoneId();
  let date = Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO(id).toPlainDate();
  const startOfDate = () => new Date(date.toZonedDateTime(id).epochMilliseconds);
  const days: DaySpan[] = [];
  for (let start = startOfDate(); start < to; ) {
    date = date.add({ days: 1 });
    const end = startOfDate();
    days.push({ start, end });
    start = end;
  }
  return days;
}
