import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { updateAttentionSettings } from '@/api/attention';
import { messageOf } from '@/api/errors';
import {
  ATTENTION_KINDS,
  type AttentionKind,
  type AttentionSettingsView,
  type AttentionThresholds,
} from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import formClasses from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button, Checkbox, Stack, TextInput } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

type Field = keyof typeof t.attention.thresholds;

const FIELDS = Object.keys(t.attention.thresholds) as Field[];
/** The fields, and the kinds that are turned off, as JSON. */
const SHAPE = {
  fields: [...FIELDS, 'disabled'] as const,
  labels: { ...t.attention.thresholds, disabled: t.attention.kindsCard },
  isRequired: () => true,
};
const WHOLE_NUMBER = /^\d{1,6}$/;

interface Props {
  /** Undefined for the devices without a CSP. */
  csp: string | undefined;
  view: AttentionSettingsView;
}

export function AttentionSettingsForm({ csp, view: { settings, defaults, can } }: Props) {
  const client = useQueryClient();
  const form = useRecordForm({
    shape: SHAPE,
    initial: () => valuesOf(settings),
    path: `/attention/settings/${csp ?? ''}`,
    disabled: !can.edit,
  });
  const disabled = kindsOf(form.values.disabled);
  const save = useMutation({
    mutationFn: (changes: AttentionThresholds) => updateAttentionSettings(client, csp, changes),
    onSuccess: (saved) => {
      form.saved(valuesOf(saved.settings));
      alertSuccess(t.attention.settingsSaved);
    },
    onError: (error) => {
      form.refused(error);
      alertFailure(t.attention.settingsSaveFailed(messageOf(error)), t.attention.settingsSaved);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = FIELDS.filter((field) => !WHOLE_NUMBER.test(form.values[field].trim()));
    form.showErrors(Object.fromEntries(wrong.map((field) => [field, t.attention.wholeNumber])));
    if (wrong.length > 0) return;
    const { changes, seen } = form.submitChanges();
    const { disabled, ...numbers } = changes;
    const body = {
      ...Object.fromEntries(Object.entries(numbers).map(([field, text]) => [field, Number(text)])),
      ...(disabled !== undefined && { disabled: kindsOf(disabled) }),
      seen,
    };
    save.mutate(body);
  };
  const toggle = (kind: AttentionKind, isOn: boolean) =>
    form.set('disabled', JSON.stringify(ATTENTION_KINDS.filter((it) => (it === kind ? !isOn : disabled.includes(it)))));
  return (
    <form className={formClasses.form} noValidate onSubmit={submit}>
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      <Card title={t.attention.thresholdsCard}>
        <Stack gap="md">
          {FIELDS.map((field) => (
            <TextInput
              key={field}
              {...form.input(field)}
              description={t.attention.usually(defaults[field] ?? 0)}
              inputMode="numeric"
            />
          ))}
        </Stack>
      </Card>
      <Card title={t.attention.kindsCard}>
        <Stack gap="sm">
          {ATTENTION_KINDS.map((kind) => (
            <Checkbox
              key={kind}
              label={t.attention.kinds[kind]}
              checked={!disabled.includes(kind)}
              disabled={!can.edit}
              onChange={({ currentTarget }) => toggle(kind, currentTarget.checked)}
            />
          ))}
        </Stack>
      </Card>
      <ChangedNotice
        meanwhile={form.meanwhile}
        fields={form}
        valueText={(field, value) => (field === 'disabled' ? kindsText(value) || undefined : undefined)}
      />
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={!can.edit}>
          {t.common.save}
        </Button>
        <Button variant="default" component={Link} to="/attention">
          {t.common.cancel}
        </Button>
      </FormActions>
      <LeaveGuard active={form.isChanged} onLeave={form.leave} />
    </form>
  );
}

function valuesOf(settings: AttentionThresholds): Record<Field | 'disabled', string> {
  const numbers = Object.fromEntries(FIELDS.map((field) => [field, String(settings[field])])) as Record<Field, string>;
  return { ...numbers, disabled: JSON.stringify(settings.disabled ?? []) };
}

function kindsOf(json: string): AttentionKind[] {
  return JSON.parse(json || '[]');
}

/** The kinds that are not turned off. */
function kindsText(json: string): string {
  const disabled = kindsOf(json);
  return ATTENTION_KINDS.filter((kind) => !disabled.includes(kind))
    .map((kind) => t.attention.kinds[kind])
    .join(', ');
}
