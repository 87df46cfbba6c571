/** The class of an intensity, 1 to 5. */
export function intensityClass(intensity: number): number {
  return Math.ceil(intensity / 10);
}

/** A level below this percentage is low: the limit of notifications, and of the help. */
export const LOW_PRODUCT_PERCENT = 20;

export type Level = 0 | 25 | 50 | 75 | 100;

/** The class of a remaining level in percent. */
export function levelOf(percent: number): Level {
  const rounded = Math.round(percent);
  if (rounded <= 0) return 0;
  if (rounded < 25) return 25;
  if (rounded < 50) return 50;
  if (rounded < 75) return 75;
  return 100;
}
