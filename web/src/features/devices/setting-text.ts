import type { ShownIntensity } from '@/api/schema.gen';
import { t } from '@/i18n/en';

type Value = number | null | undefined;

function named(names: Record<number, string>) {
  return (value: Value): string =>
    value === null || value === undefined ? t.device.unknown : (names[value] ?? String(value));
}

/** How the value of a setting is written; one that the device never reported is 'Unknown'. */
export const settingText = {
  mode: named(t.device.modes),
  cycle: named(t.device.cycles),
  intensity: named({}),
  fan: named({ 0: t.device.fanOff }),
  remaining: (value: Value): string => (typeof value === 'number' ? `${value}%` : t.device.unknown),
};

/** The intensity at which it works now, with the schedule that it comes from. */
export function shownIntensityText({ value, schedule }: ShownIntensity): string {
  const text = settingText.intensity(value);
  return schedule === null ? text : t.device.intensityOfSchedule(text, schedule);
}
