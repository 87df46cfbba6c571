import type { AuditEntry } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import type { Frame } from '@/lib/schedule';
import { SYSTEM_CONFIGURATIONS } from '@/lib/system-configurations';
import { timeOfDay } from '@/lib/time';

const SCHEDULE = 'schedule.';

const LABELS: Readonly<Record<string, unknown>> = { ...t.device, ...t.notifications.columns, ...t.audit.fields };

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
};

/** A code of a newer server is shown unchanged. */
export function operationText(operation: string): string {
  return (t.audit.operations as Record<string, string>)[operation] ?? operation;
}

/** The operation, with its number if the entry stands for several. */
export function entryText({ operation, result, occurrences }: AuditEntry): string {
  if (operation !== 'create_session' || result !== 'failed') return operationText(operation);
  return t.audit.refusedSignIns(occurrences);
}

export function fieldText(field: string): string {
  if (field.startsWith(SCHEDULE)) return t.audit.frame(field.slice(SCHEDULE.length));
  const label = LABELS[field];
  return typeof label === 'string' ? label : field;
}

export function valueText(field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t.audit.none;
  if (isFrame(value)) return frameText(value);
  if (typeof value === 'string' || typeof value === 'number') return CODES[field]?.[value] ?? String(value);
  return JSON.stringify(value);
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

/** The author of a change, as far as the reader may see it. */
export function authorText(entry: AuditEntry): string {
  return entry.actor.email ?? entry.actor.roleName ?? unnamedAuthor(entry);
}

/** The actor was not signed in, or belongs to another CSP and is hidden. */
function unnamedAuthor({ actor: { address }, operation }: AuditEntry): string {
  if (operation === 'create_session') return t.audit.notSignedIn;
  return address === null ? t.audit.nobodyKnown : t.audit.byMail;
}

/** Further information about the actor, and the origin of the request. */
export function authorDetails(entry: AuditEntry): { role: string; place: string } {
  const { actor } = entry;
  const joined = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ');
  return {
    // Without a role the actor is described already.
    role: actor.email ? joined(actor.roleName, actor.csp) : actor.roleName ? unnamedAuthor(entry) : '',
    place: joined(actor.browser, actor.address),
  };
}
