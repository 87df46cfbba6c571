import { DAY_CHOICES, FRAME_COUNT, type Frame } from './schedule';

const FIELDS = 8;

/** The frame at a position without a stored one. */
export function missingFrame(number: number): Frame {
  return {
    number,
    active: false,
    dayOfTheWeek: 0,
    intensity: 1,
    startHour: 0,
    startMinute: 0,
    stopHour: 0,
    stopMinute: 0,
  };
}

/** Whether the frame has no time and can be used for a new one. */
export function isUnused(frame: Frame): boolean {
  return writeSchedule([frame]) === writeSchedule([missingFrame(frame.number)]);
}

/**
 * Parses the 21 frames of a device's string. Never fails: a malformed entry becomes the missing frame, and its number is in
 * `broken`. The position determines the number; entries after the last frame are dropped.
 */
export function readSchedule(text: string): { frames: Frame[]; broken: number[] } {
  const fields = text.trim() === '' ? [] : text.split(',').map((field) => field.trim());
  const broken: number[] = [];
  const frames = Array.from({ length: FRAME_COUNT }, (_, place) => {
    const entry = fields.slice(place * FIELDS, (place + 1) * FIELDS);
    const frame = readFrame(place + 1, entry);
    if (!frame && entry.length > 0) broken.push(place + 1);
    return frame ?? missingFrame(place + 1);
  });
  return { frames, broken };
}

/** The frame with this number from its entry in the string; the missing frame if the entry is malformed. */
export function readEntry(number: number, entry: string): Frame {
  return readFrame(number, entry.split(',')) ?? missingFrame(number);
}

/** 168 numbers without padding, 167 commas, no spaces. */
export function writeSchedule(frames: readonly Frame[]): string {
  return frames
    .flatMap((frame) => [
      frame.number,
      frame.active ? 1 : 0,
      frame.dayOfTheWeek,
      frame.intensity,
      frame.startHour,
      frame.startMinute,
      frame.stopHour,
      frame.stopMinute,
    ])
    .join(',');
}

const ACTIVE: Record<string, boolean> = { '1': true, true: true, '0': false, false: false };

function readFrame(number: number, entry: readonly string[]): Frame | undefined {
  const active = ACTIVE[entry[1] ?? ''];
  const stored = integer(entry[0]);
  const dayOfTheWeek = integer(entry[2], 0, DAY_CHOICES.length - 1);
  const intensity = integer(entry[3], 1, 50);
  const startHour = integer(entry[4], 0, 23);
  const startMinute = integer(entry[5], 0, 59);
  const stopHour = integer(entry[6], 0, 23);
  const stopMinute = integer(entry[7], 0, 59);
  if (
    active === undefined ||
    stored === undefined ||
    dayOfTheWeek === undefined ||
    intensity === undefined ||
    startHour === undefined ||
    startMinute === undefined ||
    stopHour === undefined ||
    stopMinute === undefined
  )
    return undefined;
  return { number, active, dayOfTheWeek, intensity, startHour, startMinute, stopHour, stopMinute };
}

function integer(text: string | undefined, min = -Infinity, max = Infinity): number | undefined {
  const value = text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value >= min && value <= max ? value : undefined;
}
