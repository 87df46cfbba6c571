import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import type { FactorProof, NewTotp, Passkey, PasskeyCreation } from '@/api/schema.gen';
import {
  beginPasskey,
  beginPasskeyProof,
  beginTotp,
  createRecoveryCodes,
  removePasskey,
  removeTotp,
} from '@/api/second-factor';
import { askForPasskey, PasskeyError } from '@/browser/passkeys';
import { PasswordField } from '@/form/PasswordField';
import { TextField } from '@/form/TextField';
import { type FieldErrors, useFields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Group, Stack, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

const FIELDS = ['current', 'code'] as const;
type Field = (typeof FIELDS)[number];

const SHAPE = {
  fields: FIELDS,
  labels: { current: t.secondFactor.password, code: t.secondFactor.appOrRecoveryCode },
  isRequired: () => true,
};
const EMPTY = { current: '', code: '' };

/** A change that needs the password and a code or a passkey. */
export interface ProofPurpose {
  title: string;
  lead: string;
  /** Returns recovery codes if there are new ones. */
  run: (body: FactorProof) => Promise<string[] | undefined>;
  done?: string;
  failed: string;
}

export const RENEW: ProofPurpose = {
  title: t.secondFactor.renew,
  lead: t.secondFactor.renewLead,
  run: createRecoveryCodes,
  failed: t.secondFactor.renewFailed,
};

export const TURN_OFF: ProofPurpose = {
  title: t.secondFactor.turnOff,
  lead: t.secondFactor.turnOffLead,
  run: (body) => removeTotp(body).then(noCodes),
  done: t.secondFactor.turnedOff,
  failed: t.secondFactor.turnOffFailed,
};

export const REMOVE_APP: ProofPurpose = {
  title: t.secondFactor.removeApp,
  lead: t.secondFactor.removeAppLead,
  run: (body) => removeTotp(body).then(noCodes),
  done: t.secondFactor.appRemoved,
  failed: t.secondFactor.removeAppFailed,
};

export function removalOf({ id, name }: Passkey): ProofPurpose {
  return {
    title: t.passkeys.removal,
    lead: t.passkeys.removalLead(name),
    run: (body) => removePasskey(id, body).then(noCodes),
    done: t.passkeys.removed,
    failed: t.passkeys.removeFailed,
  };
}

/** Adds an app beside another second factor. */
export function appAddition(onBegun: (totp: NewTotp) => void): ProofPurpose {
  return {
    title: t.secondFactor.setUp,
    lead: t.secondFactor.additionLead,
    run: (body) => beginTotp(body).then(onBegun).then(noCodes),
    failed: t.secondFactor.setUpFailed,
  };
}

/** Adds a passkey beside another second factor. */
export function passkeyAddition(onBegun: (options: PasskeyCreation['options']) => void): ProofPurpose {
  return {
    title: t.passkeys.add,
    lead: t.secondFactor.additionLead,
    run: (body) => beginPasskey(body).then(onBegun).then(noCodes),
    failed: t.passkeys.addFailed,
  };
}

function noCodes(): undefined {
  return undefined;
}

interface Props {
  purpose: ProofPurpose;
  /** Whether a passkey of the user can be used here. */
  hasPasskey: boolean;
  /** Called with the recovery codes, if there are new ones. */
  onDone: (codes: string[] | undefined) => void;
  onClose: () => void;
}

/** Asks for the password and a code or a passkey before a change of the second factor. */
export function FactorProofDialog({ purpose, hasPasskey, onDone, onClose }: Props) {
  const { title, lead, run, done, failed } = purpose;
  const fields = useFields(SHAPE, EMPTY, undefined, false);
  const change = useMutation({
    mutationFn: async (by: 'code' | 'passkey') => {
      const { current, code } = fields.values;
      return run(
        by === 'code' ? { current, code } : { current, passkey: await askForPasskey(await beginPasskeyProof()) },
      );
    },
    onSuccess: (codes) => {
      if (done) alertSuccess(done);
      onDone(codes);
    },
    onError: (error) => {
      const errors = errorsOf(error);
      alertFailure(failed, done, Object.values(errors).join('. ') || messageOf(error));
      fields.showErrors(errors);
    },
  });
  const prove = (by: 'code' | 'passkey') => {
    const needed = by === 'code' ? FIELDS : (['current'] as const);
    const missing: FieldErrors<Field> = Object.fromEntries(
      needed.filter((field) => !fields.values[field].trim()).map((field) => [field, t.form.required]),
    );
    fields.showErrors(missing);
    if (Object.keys(missing).length === 0) change.mutate(by);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    prove('code');
  };
  return (
    <Dialog title={title} opened onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <Stack>
          <Text size="sm">{lead}</Text>
          <PasswordField fields={fields} name="current" autoComplete="current-password" />
          <TextField fields={fields} name="code" autoCapitalize="none" spellCheck={false} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t.common.cancel}
            </Button>
            {hasPasskey && (
              <Button variant="default" loading={change.isPending} onClick={() => prove('passkey')}>
                {t.passkeys.use}
              </Button>
            )}
            <Button type="submit" loading={change.isPending}>
              {title}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function errorsOf(error: unknown): FieldErrors<Field> {
  if (error instanceof PasskeyError) return { code: t.passkeys.problems[error.problem] };
  if (!isStatus(error, 422)) return { code: messageOf(error) };
  const { passkey, ...rest } = fieldErrors(error);
  return passkey ? { code: t.passkeys.problems.failed } : rest;
}
