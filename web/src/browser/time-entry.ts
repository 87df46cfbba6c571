import { timeOfDay } from './time';

/** A time of day in its field: '8:30' and 'AM', or '20:30' in the 24-hour format. */
export interface TimeEntry {
  text: string;
  half: Half | undefined;
}

export const HALVES = ['AM', 'PM'] as const;
export type Half = (typeof HALVES)[number];

interface Time {
  hour: number;
  minute: number;
}

/** The hour, the minute with an optional colon, and an optional AM or PM. */
const TYPED = /^(\d{1,2})(?:[:.]?(\d{2}))?\s*(?:([ap])\.?m?\.?)?$/i;

/** Formats a time in the user's format. */
export function timeEntry({ hour, minute }: Time): TimeEntry {
  const [text = '', end] = timeOfDay(hour, minute).split(/\s/);
  return { text, half: HALVES.find((half) => half === end) };
}

/**
 * Parses a typed time, including '830', '8:30 pm', and '20:30' regardless of AM or PM. Undefined if it is empty or not
 * a time between 00:00 and 23:59.
 */
export function readTime({ text, half }: TimeEntry): Time | undefined {
  const [, hours, minutes = '00', letter] = TYPED.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const typedHalf = letter ? `${letter.toUpperCase()}M` : half;
  const [typed, minute] = [Number(hours), Number(minutes)];
  // 12 is midnight or noon; 13 to 23 ignore AM and PM.
  const isHalf = typedHalf !== undefined && typed >= 1 && typed <= 12;
  const hour = isHalf ? (typed % 12) + (typedHalf === 'PM' ? 12 : 0) : typed;
  return hour <= 23 && minute <= 59 ? { hour, minute } : undefined;
}

const TWELVE = /^\s*12(?:[:.]\d{0,2}|\d{2})?\s*$/;

/** The half in which a typed text is meant: 12, 12:00 and 12:30 without AM or PM are noon, others are in the half of before. */
export function typedHalf(text: string, before: Half): Half {
  return TWELVE.test(text) ? 'PM' : before;
}

/** The entry in its standard form, if it is a time. */
export function tidyTime(entry: TimeEntry): TimeEntry {
  const time = readTime(entry);
  return time ? timeEntry(time) : entry;
}
