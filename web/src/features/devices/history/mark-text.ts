import type { HistoryMark, MarkChange } from '@/api/schema.gen';
import { t } from '@/i18n/en';

/** Labels of the settings, and the names of their values. */
const SETTINGS: Readonly<Record<string, { label: string; names: Readonly<Record<number, string>> }>> = {
  mode: { label: t.device.mode, names: t.device.modes },
  cycle: { label: t.device.cycle, names: t.device.cycles },
  intensity: { label: t.device.intensity, names: {} },
  fan: { label: t.device.fan, names: { 0: t.device.fanOff } },
};

/** What was done to a device, in a few words. */
export function markText({ kind, operation, changes }: HistoryMark): string {
  if (kind === 'refill') return changes.map(({ after }) => t.history.refilled(after)).join(', ');
  const settings = changes.flatMap((change) => settingChange(change));
  if (settings.length > 0) return settings.join(', ');
  return (t.history.operations as Record<string, string>)[operation ?? ''] ?? t.history.command;
}

function settingChange({ field, before, after }: MarkChange): string[] {
  const setting = SETTINGS[field];
  if (!setting) return [];
  const text = (value: number) => setting.names[value] ?? String(value);
  return [t.history.changed(setting.label, before === null ? t.device.unknown : text(before), text(after))];
}
