import type { DeviceNotification, NotificationForm, NotificationMethod } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { DEFAULT_COUNTRY } from './phone-countries';

export const METHODS: readonly NotificationMethod[] = ['sms', 'email'];
export const EVENTS = ['connected', 'disconnected', 'lowProductLevel'] as const;

export type NotificationEvent = (typeof EVENTS)[number];

/** What stands in the dialog. */
export interface NotificationValues {
  method: NotificationMethod;
  /** An address or a telephone number, as it is typed. */
  recipient: string;
  /** Of a telephone number, by its two letters. */
  country: string;
  events: NotificationEvent[];
}

/** Undefined begins a new one. */
export function notificationValues(notification: DeviceNotification | undefined): NotificationValues {
  if (!notification) return { method: 'sms', recipient: '', country: DEFAULT_COUNTRY, events: [] };
  const { method, recipient, phone, events } = notification;
  return {
    method,
    recipient: phone?.number ?? recipient,
    country: phone?.country ?? DEFAULT_COUNTRY,
    events: EVENTS.filter((event) => events[event] !== null),
  };
}

/** What can be told without asking the server, which decides. */
export function notificationErrors({ recipient, events }: NotificationValues): Record<string, string> {
  return {
    ...(recipient.trim() === '' && { recipient: t.form.required }),
    ...(events.length === 0 && { events: t.notifications.noEvent }),
  };
}

/** What the server is sent of a notification that was there before: what differs. */
export function notificationChanges(before: NotificationValues, after: NotificationValues): NotificationForm {
  const { method, recipient, country } = after;
  const isOther = recipient !== before.recipient || country !== before.country;
  const events = EVENTS.filter((event) => before.events.includes(event) !== after.events.includes(event));
  return {
    ...(isOther && { recipient, ...(method === 'sms' && { country }) }),
    events: Object.fromEntries(events.map((event) => [event, after.events.includes(event)])),
  };
}

/** What the server is sent of a new one. */
export function notificationBody({ method, recipient, country, events }: NotificationValues): NotificationForm {
  return {
    method,
    recipient,
    ...(method === 'sms' && { country }),
    events: Object.fromEntries(EVENTS.map((event) => [event, events.includes(event)])),
  };
}
