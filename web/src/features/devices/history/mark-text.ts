import type { HistoryMark, MarkChange } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { SETTINGS, type Setting } from '@/lib/settings-rules';

const VALUE_NAMES: Record<Setting, Record<number, string>> = {
  mode: t.device.modes,
  cycle: t.device.cycles,
  intensity: {},
  fan: { 0: t.device.fanOff },
};

/** A short description of a change to a device. */
export function markText({ kind, operation, changes }: HistoryMark): string {
  if (kind === 'refill') return changes.map(({ after }) => t.history.refilled(after)).join(', ');
  const settings = changes.flatMap((change) => settingChange(change));
  if (settings.length > 0) return settings.join(', ');
  return (t.history.operations as Record<string, string>)[operation ?? ''] ?? t.history.command;
}

function settingChange({ field, before, after }: MarkChange): string[] {
  const setting = SETTINGS.find((setting) => setting === field);
  if (!setting) return [];
  const text = (value: number) => VALUE_NAMES[setting][value] ?? String(value);
  return [t.history.changed(t.device[setting], before === null ? t.device.unknown : text(before), text(after))];
}
