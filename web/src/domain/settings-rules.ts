export const MODE = { off: 1, reserved: 2, always: 3, run: 4 } as const;

/** The settings in display order. */
export const SETTINGS = ['mode', 'cycle', 'intensity', 'fan'] as const;
export type Setting = (typeof SETTINGS)[number];

/** The smallest and the largest value that any model accepts. */
export const SETTING_RANGE: Record<Setting, { min: number; max: number }> = {
  mode: { min: 1, max: 4 },
  cycle: { min: 1, max: 3 },
  intensity: { min: 1, max: 50 },
  fan: { min: 0, max: 5 },
};

export const OFF_CYCLES = valuesOf('cycle');
export const FAN_SPEEDS = valuesOf('fan');
export const MIN_INTENSITY = SETTING_RANGE.intensity.min;

const AQ290_MAX_INTENSITY: Record<number, number> = { 1: 49, 2: 45, 3: 40 };

/** Whether the mode is shown as On: 24/7 and Run only. */
export function isOn(mode: number): boolean {
  return mode === MODE.always || mode === MODE.run;
}

/** The highest intensity for a system configuration and an off-cycle. */
export function maxIntensity(systemConfiguration: string | null | undefined, cycle: number | null | undefined): number {
  const { max } = SETTING_RANGE.intensity;
  if (systemConfiguration !== 'AQ290') return max;
  return AQ290_MAX_INTENSITY[cycle ?? 0] ?? max;
}

export function clampIntensity(intensity: number, max: number): number {
  return Math.min(Math.max(Math.round(intensity), MIN_INTENSITY), max);
}

/** Mode 2 has no intensity. */
export function takesIntensity(mode: number | null | undefined): boolean {
  return mode !== MODE.reserved;
}

function valuesOf(setting: Setting): number[] {
  const { min, max } = SETTING_RANGE[setting];
  return Array.from({ length: max - min + 1 }, (_, offset) => min + offset);
}
