import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { updateAttentionSettings } from '@/api/attention';
import { fieldErrors, messageOf } from '@/api/errors';
import {
  ATTENTION_KINDS,
  type AttentionKind,
  type AttentionSettingsView,
  type AttentionThresholds,
} from '@/api/schema.gen';
import formClasses from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { useFields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Card } from '@/ui/Card';
import { FormActions } from '@/ui/FormActions';
import { Button, Checkbox, Stack, TextInput } from '@/ui/kit';

type Field = keyof typeof t.attention.thresholds;

const FIELDS = Object.keys(t.attention.thresholds) as Field[];
const SHAPE = { fields: FIELDS, labels: t.attention.thresholds, isRequired: () => true };
const WHOLE_NUMBER = /^\d{1,6}$/;

/** The values of the fields, and the kinds that are turned off. */
interface Input {
  values: Record<Field, string>;
  disabled: readonly AttentionKind[];
}

interface Props {
  /** Undefined for the devices without a CSP. */
  csp: string | undefined;
  view: AttentionSettingsView;
}

export function AttentionSettingsForm({ csp, view: { settings, defaults, can } }: Props) {
  const client = useQueryClient();
  // Events must not change an open form.
  const [start, setStart] = useState<Input>(() => ({ values: textsOf(settings), disabled: settings.disabled ?? [] }));
  const fields = useFields(SHAPE, start.values, undefined, !can.edit);
  const [disabled, setDisabled] = useState(start.disabled);
  const isChanged = fields.isChanged || disabled.join() !== start.disabled.join();
  const save = useMutation({
    mutationFn: ({ values, disabled }: Input) =>
      updateAttentionSettings(client, csp, { ...numbersOf(values), disabled: [...disabled] }),
    onSuccess: (_, sent) => {
      // What was entered meanwhile is another change.
      setStart(sent);
      alertSuccess(t.attention.settingsSaved);
    },
    onError: (error) => {
      fields.showErrors(fieldErrors(error));
      alertFailure(t.attention.settingsSaveFailed(messageOf(error)), t.attention.settingsSaved);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = FIELDS.filter((field) => !WHOLE_NUMBER.test(fields.values[field].trim()));
    fields.showErrors(Object.fromEntries(wrong.map((field) => [field, t.attention.wholeNumber])));
    if (wrong.length === 0) save.mutate({ values: fields.values, disabled });
  };
  const toggle = (kind: AttentionKind, isOn: boolean) =>
    setDisabled(ATTENTION_KINDS.filter((it) => (it === kind ? !isOn : disabled.includes(it))));
  return (
    <form className={formClasses.form} noValidate onSubmit={submit}>
      <Card title={t.attention.thresholdsCard}>
        <Stack gap="md">
          {FIELDS.map((field) => (
            <TextInput
              key={field}
              {...fields.input(field)}
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
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={!can.edit}>
          {t.common.save}
        </Button>
        <Button variant="default" component={Link} to="/attention">
          {t.common.cancel}
        </Button>
      </FormActions>
      <LeaveGuard active={isChanged} />
    </form>
  );
}

function textsOf(settings: AttentionThresholds): Record<Field, string> {
  return Object.fromEntries(FIELDS.map((field) => [field, String(settings[field])])) as Record<Field, string>;
}

function numbersOf(values: Record<Field, string>): Record<Field, number> {
  return Object.fromEntries(FIELDS.map((field) => [field, Number(values[field])])) as Record<Field, number>;
}
