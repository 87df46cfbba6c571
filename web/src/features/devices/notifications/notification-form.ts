import { isStatus, messageOf } from '@/api/errors';
import type { DeviceNotification, NotificationForm, NotificationMethod } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { DEFAULT_COUNTRY } from './phone-countries';

export const METHODS: readonly NotificationMethod[] = ['sms', 'email'];
export const EVENTS = ['connected', 'disconnected', 'lowProductLevel'] as const;

export type NotificationEvent = (typeof EVENTS)[number];

/** The values of the dialog. */
export interface NotificationValues {
  method: NotificationMethod;
  /** The typed e-mail address or phone number. */
  recipient: string;
  /** The country of a phone number, as a two-letter code. */
  country: string;
  events: NotificationEvent[];
}

/** The values of a new notification, with the country of phone numbers. */
export function newNotificationValues(country: string): NotificationValues {
  return { method: 'sms', recipient: '', country, events: [] };
}

export function notificationValues(notification: DeviceNotification): NotificationValues {
  const { method, recipient, phone, events } = notification;
  return {
    method,
    recipient: phone?.number ?? recipient,
    country: phone?.country ?? DEFAULT_COUNTRY,
    events: EVENTS.filter((event) => events[event] !== null),
  };
}

/** The errors that can be found without the server, which decides. */
export function notificationErrors({ recipient, events }: NotificationValues): Record<string, string> {
  return {
    ...(recipient.trim() === '' && { recipient: t.form.required }),
    ...(events.length === 0 && { events: t.notifications.noEvent }),
  };
}

/** The request body for an existing notification: the changed fields, and the values that the user saw. */
export function notificationChanges(
  { recipient: seen, events: seenEvents }: DeviceNotification,
  before: NotificationValues,
  after: NotificationValues,
): NotificationForm {
  const { method, recipient, country } = after;
  const isOther = recipient !== before.recipient || country !== before.country;
  const events = EVENTS.filter((event) => before.events.includes(event) !== after.events.includes(event));
  return {
    ...(isOther && { recipient, ...(method === 'sms' && { country }) }),
    events: Object.fromEntries(events.map((event) => [event, after.events.includes(event)])),
    seen: { recipient: seen, ...seenEvents },
  };
}

/** The text of a failure. The server does not find a notification that somebody else removed meanwhile. */
export function notificationProblem(error: unknown): string {
  return isStatus(error, 404) ? t.notifications.gone : messageOf(error);
}

/** The request body for a new notification. */
export function notificationBody({ method, recipient, country, events }: NotificationValues): NotificationForm {
  return {
    method,
    recipient,
    ...(method === 'sms' && { country }),
    events: Object.fromEntries(EVENTS.map((event) => [event, events.includes(event)])),
  };
}
