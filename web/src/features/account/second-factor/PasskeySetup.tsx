import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import type { PasskeyCreation } from '@/api/schema.gen';
import { addPasskey, beginPasskey } from '@/api/second-factor';
import { createPasskey, PasskeyError } from '@/browser/passkeys';
import { LeaveGuard } from '@/form/LeaveGuard';
import { PasswordField } from '@/form/PasswordField';
import { TextField } from '@/form/TextField';
import { type FieldErrors, useFields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { Button, Group, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import classes from './TotpSetup.module.css';

const FIELDS = ['name', 'current'] as const;
type Field = (typeof FIELDS)[number];
type Options = PasskeyCreation['options'];

const SHAPE = {
  fields: FIELDS,
  labels: { name: t.passkeys.name, current: t.secondFactor.password },
  isRequired: () => true,
};
const EMPTY = { name: '', current: '' };

interface Props {
  /** The options for the browser, if the registration has begun with the proof of another second factor. */
  begun?: Options | undefined;
  /** Called with new recovery codes, if the user had none. */
  onDone: (codes: string[]) => void;
  onCancel: () => void;
  /** The text of the button that cancels. */
  cancel?: string;
}

/** Adds a passkey: its name, the password unless it was given already, then the dialog of the browser. */
export function PasskeySetup({ begun, onDone, onCancel, cancel = t.common.cancel }: Props) {
  const fields = useFields(SHAPE, EMPTY, undefined, false);
  const add = useMutation({
    mutationFn: async ({ name, current }: Record<Field, string>) => {
      const credential = await createPasskey(begun ?? (await beginPasskey({ current })));
      return addPasskey({ name, credential });
    },
    onSuccess: (codes) => {
      alertSuccess(t.passkeys.added);
      onDone(codes);
    },
    onError: (error) => {
      alertFailure(t.passkeys.addFailed, t.passkeys.added);
      fields.showErrors(errorsOf(error));
    },
  });
  const needed = begun ? (['name'] as const) : FIELDS;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const missing: FieldErrors<Field> = Object.fromEntries(
      needed.filter((field) => !fields.values[field].trim()).map((field) => [field, t.form.required]),
    );
    fields.showErrors(missing);
    if (Object.keys(missing).length === 0) add.mutate(fields.values);
  };
  return (
    <form className={classes.step} noValidate onSubmit={submit}>
      <Text size="sm">{begun ? t.passkeys.lead : `${t.passkeys.lead} ${t.passkeys.addLead}`}</Text>
      <TextField fields={fields} name="name" />
      {!begun && <PasswordField fields={fields} name="current" autoComplete="current-password" />}
      <Group>
        <Button type="submit" loading={add.isPending}>
          {t.passkeys.add}
        </Button>
        <Button variant="default" onClick={onCancel}>
          {cancel}
        </Button>
      </Group>
      <LeaveGuard active={fields.isChanged} />
    </form>
  );
}

function errorsOf(error: unknown): FieldErrors<Field> {
  if (error instanceof PasskeyError) return { name: t.passkeys.problems[error.problem] };
  if (!isStatus(error, 422)) return { name: messageOf(error) };
  const { passkey, ...rest } = fieldErrors(error);
  return passkey ? { name: t.passkeys.problems.failed } : rest;
}
