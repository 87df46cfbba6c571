/** An IANA name that the browser knows, as in 'Europe/Oslo'; undefined for the browser's own zone. */
export type Zone = string | undefined;

const LOCALE = 'en-US';
const known = new Map<string, boolean>();

/** The zone of this name; the browser's own if there is none or the browser does not know it. */
export function zoneOf(name: string | null): Zone {
  if (!name) return undefined;
  const isKnown = known.get(name) ?? isZone(name);
  known.set(name, isKnown);
  return isKnown ? name : undefined;
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

/** The midnight with which the day of this time begins in a zone. */
export function dayStartIn(at: Date, zone: Zone): Date {
  const [year, month, day] = wallClock(at, zone);
  return midnight(year, month, day, zone);
}

/** The midnight after this one; days have 23 to 25 hours. */
export function nextDayIn(start: Date, zone: Zone): Date {
  const [year, month, day] = wallClock(start, zone);
  return midnight(year, month, day + 1, zone);
}

function midnight(year: number, month: number, day: number, zone: Zone): Date {
  if (zone === undefined) return new Date(year, month, day);
  const asUtc = Date.UTC(year, month, day);
  const guess = asUtc - offsetMs(new Date(asUtc), zone);
  // The offset at midnight may be another than half a day earlier or later.
  return new Date(asUtc - offsetMs(new Date(guess), zone));
}

/** How far the clocks of a zone are ahead of UTC. */
function offsetMs(at: Date, zone: string): number {
  const [year, month, day, hour, minute, second] = wallClock(at, zone);
  return Date.UTC(year, month, day, hour, minute, second) - Math.floor(at.getTime() / 1000) * 1000;
}

type WallClock = [year: number, month: number, day: number, hour: number, minute: number, second: number];

/** What clocks in a zone show; January is 0. */
function wallClock(at: Date, zone: Zone): WallClock {
  const format = new Intl.DateTimeFormat(LOCALE, {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
    ...(zone && { timeZone: zone }),
  });
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  return [part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')];
}
