import { epochMs } from './instant';

const NAME = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** The month of UTC at this time: '2026-11' */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** The month of UTC at this time and those before it, newest first: '2026-11', '2026-10', … */
export function monthsUpTo(at: Date, count: number): string[] {
  return Array.from({ length: count }, (_, age) =>
    monthOf(new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - age))),
  );
}

/** 'November 2026' */
export function monthName(month: string): string {
  return NAME.format(epochMs(`${month}-01T00:00:00Z`));
}
