import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import {
  applyDeviceNotifications,
  createDeviceNotification,
  deviceNotificationsQuery,
  rereadDeviceNotifications,
  updateDeviceNotification,
} from '@/api/device-notifications';
import { fieldErrors } from '@/api/errors';
import type { DeviceNotification, NotificationForm, NotificationMethod } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import { LeaveGuard } from '@/form/LeaveGuard';
import type { Values } from '@/form/useFields';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { foldedFilter } from '@/ui/fields/foldedFilter';
import { selectText } from '@/ui/fields/select-text';
import { useLateFocus } from '@/ui/hooks/useLateFocus';
import { Button, Checkbox, Group, Select, Stack, TextInput } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import {
  EVENTS,
  METHODS,
  type NotificationValues,
  newNotificationValues,
  notificationBody,
  notificationChanges,
  notificationErrors,
  notificationProblem,
  notificationValues,
} from './notification-form';
import { phoneCountries } from './phone-countries';

const METHOD_CHOICES = METHODS.map((method) => ({ value: method, label: t.notifications.methods[method] }));

/** The events are a list with commas. */
const FIELDS = ['method', 'country', 'recipient', 'events'] as const;
type Field = (typeof FIELDS)[number];
const SHAPE = {
  fields: FIELDS,
  labels: {
    method: t.notifications.columns.method,
    country: t.notifications.country,
    recipient: t.notifications.columns.recipient,
    events: t.notifications.events,
  },
  isRequired: () => true,
};

interface Props {
  dsn: string;
  /** The notification to edit, or the country of the phone number of a new one. */
  edited: DeviceNotification | { country: string };
  onClose: () => void;
}

/** The fields of a notification. */
export function NotificationFields({ dsn, edited, onClose }: Props) {
  const client = useQueryClient();
  // Events must not change an open dialog.
  const [stored, setStored] = useState('id' in edited ? edited : undefined);
  const form = useRecordForm({
    shape: SHAPE,
    initial: () => textsOf('id' in edited ? notificationValues(edited) : newNotificationValues(edited.country)),
  });
  const values = valuesOf(form.values);
  const recipient = useRef<HTMLInputElement>(null);
  const firstEvent = useRef<HTMLInputElement>(null);
  const countries = useMemo(phoneCountries, []);
  useLateFocus(recipient);
  const showErrors = (errors: Record<string, string>) => {
    form.showErrors(errors);
    if (errors.recipient) recipient.current?.focus();
    else if (errors.events) firstEvent.current?.focus();
  };
  const save = useSaveNotification({
    dsn,
    id: stored?.id,
    onRefused: (error) => {
      form.refused(error);
      showErrors(fieldErrors(error));
    },
  });
  const bodyOf = (stored: DeviceNotification) => {
    const before = valuesOf(form.start);
    // The recipient of another person that the user has seen.
    const { recipient = '' } = form.meanwhile.seen({ recipient: '' });
    const isOther = recipient !== before.recipient;
    return notificationChanges(
      isOther ? { ...stored, recipient } : stored,
      isOther ? { ...before, recipient } : before,
      values,
    );
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const errors = notificationErrors(values);
    if (Object.keys(errors).length > 0) return showErrors(errors);
    const known = client.getQueryData(deviceNotificationsQuery(dsn).queryKey) ?? [];
    const isSaved = ({ id }: DeviceNotification) => (stored ? id === stored.id : !known.some((one) => one.id === id));
    form.submitAll();
    save.mutate(stored ? bodyOf(stored) : notificationBody(values), {
      // Skipped after the form unmounts, so a late save does not close the next dialog.
      onSuccess: ({ notifications, stale }) => {
        const saved = stale ? undefined : notifications.find(isSaved);
        if (form.saved(saved && textsOf(notificationValues(saved)))) onClose();
        else if (saved) setStored(saved);
      },
    });
  };
  const isPhone = values.method === 'sms';
  const label = isPhone ? t.notifications.phone : t.notifications.email;

  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="lg">
        <Select
          label={t.notifications.columns.method}
          data={METHOD_CHOICES}
          value={values.method}
          onChange={(method) => {
            form.set('method', method ?? values.method);
            form.set('recipient', '');
          }}
          disabled={stored !== undefined}
          error={form.errors.method}
          allowDeselect={false}
          openOnFocus={false}
          checkIconPosition="right"
        />
        {isPhone && (
          <Select
            label={t.notifications.country}
            data={countries}
            value={values.country}
            onChange={(country) => form.set('country', country ?? values.country)}
            error={form.errors.country}
            searchable
            filter={foldedFilter}
            {...selectText}
            nothingFoundMessage={t.form.noChoice}
            allowDeselect={false}
            openOnFocus={false}
            checkIconPosition="right"
          />
        )}
        <TextInput
          ref={recipient}
          label={label}
          description={isPhone && t.notifications.phoneHint}
          type={isPhone ? 'tel' : 'text'}
          inputMode={isPhone ? 'tel' : 'email'}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={values.recipient}
          onChange={({ currentTarget }) => form.set('recipient', currentTarget.value)}
          error={form.errors.recipient}
          errorProps={{ role: 'alert' }}
          data-autofocus
        />
        <Checkbox.Group
          label={t.notifications.events}
          value={values.events}
          onChange={(events) => form.set('events', EVENTS.filter((event) => events.includes(event)).join())}
          error={form.errors.events}
          errorProps={{ role: 'alert', mt: 8 }}
          required
        >
          <Stack gap="sm" mt="xs">
            {EVENTS.map((event, place) => (
              <Checkbox
                key={event}
                ref={place === 0 ? firstEvent : undefined}
                value={event}
                label={t.notifications.columns[event]}
                description={t.notifications.eventHints[event]}
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <ChangedNotice
          meanwhile={form.meanwhile}
          fields={{ labels: { ...form.labels, recipient: label }, values: form.values }}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.common.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {t.common.save}
          </Button>
        </Group>
      </Stack>
      <LeaveGuard active={form.isChanged} />
    </form>
  );
}

function textsOf({ events, ...texts }: NotificationValues): Values<Field> {
  return { ...texts, events: events.join() };
}

function valuesOf({ method, events, ...texts }: Values<Field>): NotificationValues {
  return {
    ...texts,
    method: method as NotificationMethod,
    events: EVENTS.filter((event) => events.split(',').includes(event)),
  };
}

interface SaveOptions {
  dsn: string;
  /** Undefined to add one. */
  id: string | undefined;
  onRefused: (error: unknown) => void;
}

function useSaveNotification({ dsn, id, onRefused }: SaveOptions) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NotificationForm) =>
      id ? updateDeviceNotification(dsn, id, body) : createDeviceNotification(dsn, body),
    onSuccess: (saved) => {
      applyDeviceNotifications(client, dsn, saved);
      alertSuccess(t.notifications.saved);
    },
    onError: (error) => {
      onRefused(error);
      alertFailure(t.notifications.saveFailed(notificationProblem(error)), t.notifications.saved);
      // Parts of it may have been saved.
      rereadDeviceNotifications(client, dsn);
    },
  });
}
