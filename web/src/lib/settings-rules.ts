/** Settings of a diffuser, as the specification of the console section 4 and 5 gives them. */

export const MODE = { off: 1, reserved: 2, always: 3, run: 4 } as const;
export const OFF_CYCLES = [1, 2, 3] as const;
export const FAN_SPEEDS = [0, 1, 2, 3, 4, 5] as const;
export const MIN_INTENSITY = 1;

const MAX_INTENSITY = 50;
const AQ290_MAX_INTENSITY: Record<number, number> = { 1: 49, 2: 45, 3: 40 };

/** On in 24/7 and Run only. */
export function isOn(mode: number): boolean {
  return mode === MODE.always || mode === MODE.run;
}

/** The highest intensity for a system configuration and an off-cycle. */
export function maxIntensity(systemConfiguration: string | null | undefined, cycle: number | null | undefined): number {
  if (systemConfiguration !== 'AQ290') return MAX_INTENSITY;
  return AQ290_MAX_INTENSITY[cycle ?? 0] ?? MAX_INTENSITY;
}

export function clampIntensity(intensity: number, max: number): number {
  return Math.min(Math.max(Math.round(intensity), MIN_INTENSITY), max);
}

/** Mode 2 has no intensity. */
export function takesIntensity(mode: number | null | undefined): boolean {
  return mode !== MODE.reserved;
}
