import { isoDate } from './time';

const MAX_FILTER_LENGTH = 40;

/** 'devices-offline-2026-11-22': the list, the value of its filter, and the day in the browser's time zone. */
export function datedName(list: string, filter: string | undefined, at: Date): string {
  return nameOf(list, filter, isoDate(at));
}

/** 'use-fairmile-2026-11': what the report is about, the value of its filter, and the month. */
export function nameOf(subject: string, filter: string | undefined, date: string): string {
  return [subject, slug(filter ?? ''), date].filter(Boolean).join('-');
}

/** Letters and digits of any script; some file systems refuse other characters. */
function slug(text: string): string {
  const words = text.toLowerCase().replace(/[^\p{Letter}\p{Mark}\p{Number}]+/gu, '-');
  return words.slice(0, MAX_FILTER_LENGTH).replace(/^-|-$/g, '');
}
