import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import { confirmAccount } from '@/api/unsigned';
import { t } from '@/i18n/en';
import { Button, Text, useForm } from '@/ui/kit';
import { AuthPage } from '../AuthPage';
import { CompletionNotice, SignInButton } from '../CompletionNotice';
import { useLinkToken } from '../useLinkToken';
import { TokenForm } from './TokenForm';

const texts = t.auth.confirm;
const route = getRouteApi('/account/confirm');

/** Confirms an account, automatically if opened from the mail's link. */
export function ConfirmPage() {
  const token = useLinkToken('/account/confirm', route.useSearch().token);
  const form = useForm({
    initialValues: { token },
    validate: { token: (token) => (token.trim() ? null : t.form.required) },
  });
  const confirm = useMutation({
    mutationFn: confirmAccount,
    onError: (error) => form.setFieldError('token', tokenErrorOf(error)),
  });
  const { mutate } = confirm;
  const isSubmitted = useRef(false);
  useEffect(() => {
    if (!token || isSubmitted.current) return;
    isSubmitted.current = true;
    mutate({ token });
  }, [token, mutate]);

  if (confirm.isSuccess) {
    return (
      <AuthPage title={texts.title}>
        <CompletionNotice text={texts.done}>
          <SignInButton />
          <Text size="sm" c="dimmed">
            {texts.ownPasswordLead}
          </Text>
          <Button
            size="md"
            variant="default"
            fullWidth
            renderRoot={(props) => <Link to="/password/set" search={{ token: confirm.variables.token }} {...props} />}
          >
            {texts.ownPassword}
          </Button>
        </CompletionNotice>
      </AuthPage>
    );
  }
  if (isStatus(confirm.error, 409)) {
    return (
      <AuthPage title={texts.title}>
        <CompletionNotice text={texts.already}>
          <SignInButton />
        </CompletionNotice>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <TokenForm form={form} texts={texts} isPending={confirm.isPending} onSubmit={(token) => mutate({ token })} />
    </AuthPage>
  );
}

/** The server's error about the token, or our own text if it has none. */
function tokenErrorOf(error: unknown): string {
  const errors = fieldErrors(error);
  return errors.confirmation_token ?? (isStatus(error, 422) ? texts.invalid : messageOf(error));
}
