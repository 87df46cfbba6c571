/** Days in the format of date fields, 2026-11-20, in the browser's time zone. */

import { dateLocale } from './locale';

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

export function isDay(raw: unknown): raw is string {
  return typeof raw === 'string' && DAY.test(raw) && !Number.isNaN(dayStart(raw).getTime());
}

/** The day of this instant. */
export function dayOf(at: Date): string {
  const pad = (part: number, length: number) => String(part).padStart(length, '0');
  return `${pad(at.getFullYear(), 4)}-${pad(at.getMonth() + 1, 2)}-${pad(at.getDate(), 2)}`;
}

/** The first instant of the day. */
export function dayStart(day: string): Date {
  return new Date(`${day}T00:00`);
}

/** The first instant of the day after. */
export function dayEnd(day: string): Date {
  const end = dayStart(day);
  end.setDate(end.getDate() + 1);
  return end;
}

/** 'Nov 20, 2026'. */
export function dayText(day: string): string {
  return new Intl.DateTimeFormat(dateLocale(), { dateStyle: 'medium' }).format(dayStart(day));
}
