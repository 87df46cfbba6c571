import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import type { NewTotp } from '@/api/schema.gen';
import { beginTotp, confirmTotp } from '@/api/second-factor';
import { LeaveGuard } from '@/form/LeaveGuard';
import { PasswordField } from '@/form/PasswordField';
import { TextField } from '@/form/TextField';
import { useFields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { Button, Group, Stack, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import classes from './TotpSetup.module.css';

interface Props {
  /** The app, if its set-up has begun with the proof of another second factor. */
  begun?: NewTotp | undefined;
  /** Called with the recovery codes. */
  onDone: (codes: string[]) => void;
  /** Absent if the set-up is required. */
  onCancel?: () => void;
}

/** Sets up an authenticator app: the password, then the secret and a code of the app. */
export function TotpSetup({ begun, onDone, onCancel }: Props) {
  const [totp, setTotp] = useState(begun);
  return totp ? (
    <ConfirmStep totp={totp} onDone={onDone} onCancel={onCancel} />
  ) : (
    <PasswordStep onDone={setTotp} onCancel={onCancel} />
  );
}

const PASSWORD = { fields: ['current'] as const, labels: { current: t.secondFactor.password }, isRequired: () => true };
const NO_PASSWORD = { current: '' };

function PasswordStep({ onDone, onCancel }: { onDone: (totp: NewTotp) => void; onCancel: Props['onCancel'] }) {
  const fields = useFields(PASSWORD, NO_PASSWORD, undefined, false);
  const begin = useMutation({
    mutationFn: beginTotp,
    onSuccess: onDone,
    onError: (error) => {
      alertFailure(t.secondFactor.setUpFailed, t.secondFactor.turnedOn, messageOf(error));
      fields.showErrors(isStatus(error, 422) ? fieldErrors(error) : { current: messageOf(error) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { current } = fields.values;
    if (current) begin.mutate({ current });
    else fields.showErrors({ current: t.form.required });
  };
  return (
    <form className={classes.step} noValidate onSubmit={submit}>
      <Text size="sm">{t.secondFactor.passwordLead}</Text>
      <PasswordField fields={fields} name="current" autoComplete="current-password" />
      <Group>
        <Button type="submit" loading={begin.isPending}>
          {t.secondFactor.continue}
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            {t.common.cancel}
          </Button>
        )}
      </Group>
    </form>
  );
}

const CODE = { fields: ['code'] as const, labels: { code: t.secondFactor.code }, isRequired: () => true };
const NO_CODE = { code: '' };
/** The light margin of a QR code, in modules. */
const MARGIN = 4;

function ConfirmStep({ totp, onDone, onCancel }: Props & { totp: NewTotp }) {
  const fields = useFields(CODE, NO_CODE, undefined, false);
  const confirm = useMutation({
    mutationFn: confirmTotp,
    onSuccess: (codes) => {
      alertSuccess(t.secondFactor.turnedOn);
      onDone(codes);
    },
    onError: (error) => {
      alertFailure(t.secondFactor.setUpFailed, t.secondFactor.turnedOn, messageOf(error));
      fields.showErrors(isStatus(error, 422) ? fieldErrors(error) : { code: messageOf(error) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { code } = fields.values;
    if (code.trim()) confirm.mutate(code);
    else fields.showErrors({ code: t.form.required });
  };
  const { size, path } = totp.qrCode;
  const side = size + 2 * MARGIN;
  return (
    <form className={classes.step} noValidate onSubmit={submit}>
      <Text size="sm">{t.secondFactor.scanLead}</Text>
      <svg
        className={classes.code}
        role="img"
        aria-label={t.secondFactor.qrCode}
        viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
        shapeRendering="crispEdges"
      >
        <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
        <path d={path} fill="#000" />
      </svg>
      <Stack gap={4}>
        <Text size="sm">{t.secondFactor.secret}</Text>
        <code className={classes.secret}>{totp.secret.match(/.{1,4}/g)?.join(' ')}</code>
        <a href={totp.address}>{t.secondFactor.openApp}</a>
      </Stack>
      <Text size="sm">{t.secondFactor.confirmLead}</Text>
      <TextField fields={fields} name="code" inputMode="numeric" spellCheck={false} />
      <Group>
        <Button type="submit" loading={confirm.isPending}>
          {t.secondFactor.turnOn}
        </Button>
        {onCancel && (
          <Button variant="default" onClick={onCancel}>
            {t.common.cancel}
          </Button>
        )}
      </Group>
      <LeaveGuard active loss={t.form.secret} />
    </form>
  );
}
