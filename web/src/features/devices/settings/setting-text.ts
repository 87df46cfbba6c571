import type { ShownIntensity } from '@/api/schema.gen';
import { t } from '@/i18n/en';

type Value = number | null | undefined;

function named(names: Record<number, string>) {
  return (value: Value): string =>
    value === null || value === undefined ? t.device.unknown : (names[value] ?? String(value));
}

/** The texts of settings; a value that was never reported is 'Unknown'. */
export const settingText = {
  mode: named(t.device.modes),
  cycle: named(t.device.cycles),
  intensity: named({}),
  fan: named({ 0: t.device.fanOff }),
  remaining: (value: Value): string => (typeof value === 'number' ? `${value}%` : t.device.unknown),
};

/** The current intensity, with the schedule that sets it. */
export function shownIntensityText({ value, schedule }: ShownIntensity): string {
  const text = settingText.intensity(value);
  return schedule === null ? text : t.device.intensityOfSchedule(text, schedule);
}
