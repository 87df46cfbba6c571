import type { DeviceSettings, DeviceView } from '@/api/schema.gen';
import { clampIntensity, MIN_INTENSITY, MODE, maxIntensity, takesIntensity } from '@/domain/settings-rules';

/** The values of the dialog; null for a setting that was never reported. */
export interface SettingsForm {
  mode: number | null;
  cycle: number | null;
  intensity: number;
  fan: number | null;
}

export function settingsForm({ mode, cycle, intensity, fan, systemConfiguration }: DeviceView): SettingsForm {
  return {
    mode: mode ?? null,
    cycle: cycle ?? null,
    intensity: clampIntensity(intensity ?? MIN_INTENSITY, maxIntensity(systemConfiguration, cycle)),
    fan: fan ?? null,
  };
}

/** Mode 2 is offered only to a device that is in it. */
export function modesFor(reported: number | null): number[] {
  return Object.values(MODE).filter((mode) => mode !== MODE.reserved || reported === MODE.reserved);
}

/** The settings that were changed in the dialog. */
export function changedSettings(before: SettingsForm, after: SettingsForm): DeviceSettings {
  const changed: DeviceSettings = {};
  if (after.mode !== before.mode) changed.mode = after.mode;
  if (after.cycle !== before.cycle) changed.cycle = after.cycle;
  if (after.fan !== before.fan) changed.fan = after.fan;
  if (after.intensity !== before.intensity && takesIntensity(after.mode)) changed.intensity = after.intensity;
  return changed;
}
