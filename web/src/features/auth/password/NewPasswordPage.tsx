import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { fieldErrors, messageOf } from '@/api/errors';
import { setPassword } from '@/api/unsigned';
import { PasswordField } from '@/form/PasswordField';
import { confirmationError, passwordError } from '@/form/password-rule';
import { TextField } from '@/form/TextField';
import { type FieldErrors, useFields, type Values } from '@/form/useFields';
import { t } from '@/i18n/en';
import { Button, Stack } from '@/ui/kit';
import { AuthPage } from '../AuthPage';
import { CompletionNotice, SignInButton } from '../CompletionNotice';
import { useLinkToken } from '../useLinkToken';

const texts = t.auth.newPassword;
const route = getRouteApi('/password/set');

const FIELDS = ['token', 'newPassword', 'confirmNewPassword'] as const;
type Field = (typeof FIELDS)[number];

/** Sets a new password with the token of a mail. */
export function NewPasswordPage() {
  const token = useLinkToken('/password/set', route.useSearch().token);
  const set = useMutation({
    mutationFn: setPassword,
    onError: (error) => fields.showErrors(toFields(error)),
  });
  const fields = useFields(
    {
      fields: FIELDS,
      labels: { token: texts.token, newPassword: texts.password, confirmNewPassword: texts.confirmation },
      isRequired: () => true,
    },
    { token, newPassword: '', confirmNewPassword: '' },
    undefined,
    false,
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(fields.values);
    fields.showErrors(wrong);
    if (Object.keys(wrong).length === 0) set.mutate({ ...fields.values, token: fields.values.token.trim() });
  };

  if (set.isSuccess) {
    return (
      <AuthPage title={texts.title}>
        <CompletionNotice text={texts.done}>
          <SignInButton />
        </CompletionNotice>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <form noValidate onSubmit={submit}>
        <Stack>
          <TextField fields={fields} name="token" autoCapitalize="none" spellCheck={false} />
          <PasswordField
            fields={fields}
            name="newPassword"
            autoComplete="new-password"
            description={t.form.password.rule}
          />
          <PasswordField fields={fields} name="confirmNewPassword" autoComplete="new-password" />
          <Button type="submit" size="md" fullWidth loading={set.isPending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}

/** The errors that the server would certainly return, in its words. */
function check({ token, newPassword, confirmNewPassword }: Values<Field>): FieldErrors<Field> {
  const errors = {
    token: token.trim() ? undefined : t.form.required,
    newPassword: passwordError(newPassword),
    confirmNewPassword: confirmationError(newPassword, confirmNewPassword),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error));
}

/** The server uses the cloud's field names. Errors of other fields concern the token. */
function toFields(error: unknown): FieldErrors<Field> {
  const { password, confirm_password, password_confirmation, reset_password_token } = fieldErrors(error);
  const confirmation = confirm_password ?? password_confirmation;
  const isNamed = password ?? confirmation ?? reset_password_token;
  return {
    token: isNamed ? reset_password_token : messageOf(error),
    newPassword: password,
    confirmNewPassword: confirmation,
  };
}
