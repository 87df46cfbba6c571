import { timeOfDay } from './time';

/** A time of day as it stands in its field: '8:30' and 'AM', or '20:30' and nothing where clocks have 24 hours. */
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

/** The hour, the minute with or without a colon before it, and perhaps the half of the day. */
const TYPED = /^(\d{1,2})(?:[:.]?(\d{2}))?\s*(?:([ap])\.?m?\.?)?$/i;

/** Written as all times of day are. */
export function timeEntry({ hour, minute }: Time): TimeEntry {
  const [text = '', end] = timeOfDay(hour, minute).split(/\s/);
  return { text, half: HALVES.find((half) => half === end) };
}

/**
 * The time that was typed: also '830', '8:30 pm', and '20:30', whatever half stands beside it. Undefined when it is
 * empty, or no time between 00:00 and 23:59.
 */
export function readTime({ text, half }: TimeEntry): Time | undefined {
  const [, hours, minutes = '00', letter] = TYPED.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const said = letter ? `${letter.toUpperCase()}M` : half;
  const [typed, minute] = [Number(hours), Number(minutes)];
  // Midnight and noon are 12, and 13 to 23 are said in one way only.
  const isHalf = said !== undefined && typed >= 1 && typed <= 12;
  const hour = isHalf ? (typed % 12) + (said === 'PM' ? 12 : 0) : typed;
  return hour <= 23 && minute <= 59 ? { hour, minute } : undefined;
}

/** The entry as it is written, if it is a time. */
export function tidyTime(entry: TimeEntry): TimeEntry {
  const time = readTime(entry);
  return time ? timeEntry(time) : entry;
}
