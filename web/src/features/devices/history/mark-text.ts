import type { HistoryMark, MarkChange } from '@/api/schema.gen';
import type { Mark } from '@/domain/history';
import { isOn, SETTINGS, type Setting } from '@/domain/settings-rules';
import { t } from '@/i18n/en';

const VALUE_NAMES: Record<Setting, Record<number, string>> = {
  mode: t.device.modes,
  cycle: t.device.cycles,
  intensity: {},
  fan: { 0: t.device.fanOff },
};

/** A short description of a change to a device, with its author if known. */
export function markText(mark: HistoryMark): string {
  const text = textOf(mark);
  return mark.author === null ? text : t.history.by(text, mark.author);
}

/** The effect of a command on the activity of the device, if it has one. */
export function effectOf({ kind, operation, changes }: HistoryMark): Mark['effect'] {
  if (kind !== 'command') return undefined;
  const mode = changes.find(({ field }) => field === 'mode');
  if (mode) return isOn(mode.after) ? 'on' : 'off';
  return operation === 'update_device_schedule' || operation === 'copy_device' ? 'schedule' : undefined;
}

function textOf({ kind, operation, changes }: HistoryMark): string {
  switch (kind) {
    case 'refill':
      return changes.map(({ after }) => t.history.refilled(after)).join(', ');
    case 'refused':
      return t.history.refused(commandText(changes));
    case 'unanswered':
      return t.history.unanswered(commandText(changes));
    case 'change':
      return labelOf(operation) ?? t.history.change;
    case 'command': {
      const settings = changes.flatMap((change) => settingChange(change));
      return settings.length > 0 ? settings.join(', ') : (labelOf(operation) ?? t.history.command);
    }
  }
}

/** A command that the device did not carry out; one without numbers stores a schedule. */
function commandText([change]: MarkChange[]): string {
  if (!change) return t.history.newSchedule;
  const setting = SETTINGS.find((setting) => setting === change.field);
  if (!setting) return t.history.set(t.history.level, `${change.after}%`);
  return t.history.set(t.device[setting], valueText(setting, change.after));
}

function labelOf(operation: HistoryMark['operation']): string | undefined {
  return (t.history.operations as Record<string, string>)[operation ?? ''];
}

function valueText(setting: Setting, value: number): string {
  return VALUE_NAMES[setting][value] ?? String(value);
}

function settingChange({ field, before, after }: MarkChange): string[] {
  const setting = SETTINGS.find((setting) => setting === field);
  if (!setting) return [];
  const from = before === null ? t.device.unknown : valueText(setting, before);
  return [t.history.changed(t.device[setting], from, valueText(setting, after))];
}
