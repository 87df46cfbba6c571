import { useState } from 'react';
import type { DeviceSettings, DeviceView } from '@/api/schema.gen';
import { SETTINGS, type Setting } from '@/domain/settings-rules';
import { useChangedFields } from '@/form/useChangedFields';

/**
 * The settings that another person changed while the dialog was open, with the values that the user has seen. `onTake`
 * gets the value that the user takes instead of the own one.
 */
export function useSeenSettings(device: DeviceView, onTake: (name: Setting, value: number) => void) {
  const [seen, setSeen] = useState(() => settingTexts(device));
  const changed = useChangedFields<Setting>((name, value, takes) => {
    setSeen({ ...seen, [name]: value });
    if (takes) onTake(name, Number(value));
  });
  return {
    ...changed,
    /** The values that the person saw of the settings to save. */
    seen: (sent: DeviceSettings) => only(sent, seen),
    /** Continues after a save with the saved values. */
    saved: (sent: DeviceSettings) => {
      setSeen({ ...seen, ...only(sent, settingTexts(sent)) });
      changed.clear();
    },
  };
}

/** The texts of these settings. */
function only(settings: DeviceSettings, texts: Record<Setting, string>): Partial<Record<Setting, string>> {
  return Object.fromEntries(SETTINGS.filter((name) => name in settings).map((name) => [name, texts[name]]));
}

/** The settings as texts; an empty one for a value that was never reported. */
export function settingTexts(values: DeviceSettings): Record<Setting, string> {
  return Object.fromEntries(SETTINGS.map((name) => [name, values[name]?.toString() ?? ''])) as Record<Setting, string>;
}
