import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useMemo, useRef, useState } from 'react';
import {
  applyDeviceNotifications,
  createDeviceNotification,
  rereadDeviceNotifications,
  updateDeviceNotification,
} from '@/api/device-notifications';
import { fieldErrors } from '@/api/errors';
import type { DeviceNotification, NotificationForm, NotificationMethod } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import { useChangedFields } from '@/form/useChangedFields';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { foldedFilter } from '@/ui/foldedFilter';
import { Button, Checkbox, Group, Select, Stack, TextInput } from '@/ui/kit';
import { selectText } from '@/ui/select-text';
import { useLateFocus } from '@/ui/useLateFocus';
import {
  EVENTS,
  METHODS,
  type NotificationEvent,
  type NotificationValues,
  notificationBody,
  notificationChanges,
  notificationErrors,
  notificationProblem,
  notificationValues,
} from './notification-form';
import { phoneCountries } from './phone-countries';

const METHOD_CHOICES = METHODS.map((method) => ({ value: method, label: t.notifications.methods[method] }));

interface Props {
  dsn: string;
  /** Undefined to add one. */
  edited: DeviceNotification | undefined;
  onClose: () => void;
}

/** The fields of a notification. */
export function NotificationFields({ dsn, edited, onClose }: Props) {
  // Events must not change an open dialog.
  const [seen, setSeen] = useState(edited);
  const [start, setStart] = useState(() => notificationValues(edited));
  const [values, setValues] = useState(start);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const recipient = useRef<HTMLInputElement>(null);
  const firstEvent = useRef<HTMLInputElement>(null);
  const countries = useMemo(phoneCountries, []);
  useLateFocus(recipient);
  const change = (part: Partial<NotificationValues>) => {
    setValues({ ...values, ...part });
    setErrors({});
  };
  const showErrors = (errors: Record<string, string>) => {
    setErrors(errors);
    if (errors.recipient) recipient.current?.focus();
    else if (errors.events) firstEvent.current?.focus();
  };
  const meanwhile = useChangedFields<'recipient'>((_, recipient, takes) => {
    setSeen(seen && { ...seen, recipient });
    setStart({ ...start, recipient });
    if (takes) setValues({ ...values, recipient });
  });
  const save = useSaveNotification({
    dsn,
    id: edited?.id,
    onRefused: (error) => {
      showErrors(fieldErrors(error));
      meanwhile.show(error);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const errors = notificationErrors(values);
    if (Object.keys(errors).length > 0) showErrors(errors);
    // Skipped after the form unmounts, so a late save does not close the next dialog.
    else
      save.mutate(seen ? notificationChanges(seen, start, values) : notificationBody(values), { onSuccess: onClose });
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
          onChange={(method) => change({ method: method as NotificationMethod, recipient: '' })}
          disabled={edited !== undefined}
          error={errors.method}
          allowDeselect={false}
          openOnFocus={false}
          checkIconPosition="right"
        />
        {isPhone && (
          <Select
            label={t.notifications.country}
            data={countries}
            value={values.country}
            onChange={(country) => change({ country: country ?? values.country })}
            error={errors.country}
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
          type={isPhone ? 'tel' : 'text'}
          inputMode={isPhone ? 'tel' : 'email'}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={values.recipient}
          onChange={({ currentTarget }) => change({ recipient: currentTarget.value })}
          error={errors.recipient}
          errorProps={{ role: 'alert' }}
          data-autofocus
        />
        <Checkbox.Group
          label={t.notifications.events}
          value={values.events}
          onChange={(events) => change({ events: events as NotificationEvent[] })}
          error={errors.events}
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
          meanwhile={meanwhile}
          fields={{ labels: { recipient: label }, values: { recipient: values.recipient } }}
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
    </form>
  );
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
