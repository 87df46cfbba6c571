import { timeOfDay } from '@/browser/time';
import type { Frame } from '@/domain/schedule';
import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import { t } from '@/i18n/en';

const SCHEDULE = 'schedule.';
/** Before the id of a notification. */
const RECIPIENT = 'recipient.';

/** Labels of pages precede those of the filters that a report was made with. */
const LABELS: Readonly<Record<string, unknown>> = {
  ...t.users.columns,
  ...t.devices.columns,
  ...t.devices.filters,
  ...t.device,
  ...t.notifications.columns,
  ...t.audit.fields,
};

/** Texts of coded values by field. */
const CODES: Readonly<Record<string, Readonly<Record<string | number, string>>>> = {
  mode: t.device.modes,
  cycle: t.device.cycles,
  fan: { 0: t.device.fanOff },
  systemConfiguration: SYSTEM_CONFIGURATIONS,
  role: t.audit.roles,
  connected: t.notifications.methods,
  disconnected: t.notifications.methods,
  lowProductLevel: t.notifications.methods,
  recipient: t.notifications.methods,
  undoneOperation: t.audit.operations,
};

export function fieldText(field: string): string {
  if (field.startsWith(SCHEDULE)) return t.audit.frame(field.slice(SCHEDULE.length));
  const [kind = '', part = ''] = field.split('.');
  const ofItem = t.audit.itemFields[part];
  if (ofItem) return t.audit.itemField(ofItem, kind.replaceAll('_', ' '));
  const label = LABELS[withoutId(field)];
  return typeof label === 'string' ? label : field;
}

export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t.audit.none;
  if (isFrame(value)) return frameText(value);
  if (typeof value === 'string' || typeof value === 'number') return CODES[withoutId(field)]?.[value] ?? String(value);
  return JSON.stringify(value);
}

function withoutId(field: string): string {
  return field.startsWith(RECIPIENT) ? 'recipient' : field;
}

function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && 'startHour' in value;
}

function frameText({ active, dayOfTheWeek, intensity, startHour, startMinute, stopHour, stopMinute }: Frame): string {
  if (!active) return t.audit.inactive;
  const days = t.schedule.days[dayOfTheWeek] ?? String(dayOfTheWeek);
  const times = t.schedule.times(days, timeOfDay(startHour, startMinute), timeOfDay(stopHour, stopMinute));
  return t.audit.frameValue(times, intensity);
}
