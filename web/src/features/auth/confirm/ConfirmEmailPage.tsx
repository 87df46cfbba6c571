import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { fieldErrors, messageOf } from '@/api/errors';
import { sessionQuery } from '@/api/session';
import { confirmEmailChange } from '@/api/unsigned';
import { t } from '@/i18n/en';
import { SecretInput } from '@/ui/fields/SecretInput';
import { Button, Stack, useForm } from '@/ui/kit';
import { AuthPage } from '../AuthPage';
import { CompletionNotice, SignInButton } from '../CompletionNotice';
import { useLinkToken } from '../useLinkToken';
import { TokenField } from './TokenForm';

const texts = t.auth.confirmEmail;
const route = getRouteApi('/account/email/confirm');

/**
 * Changes the e-mail address of an account to the one that the link was sent to. Waits for a click, and asks for the
 * password or a session of the account: the link may have reached a stranger, or a program that checks links in mails.
 */
export function ConfirmEmailPage() {
  const token = useLinkToken('/account/email/confirm', route.useSearch().token);
  const session = useQuery(sessionQuery).data;
  const form = useForm({
    initialValues: { token, current: '' },
    validate: {
      token: (token) => (token.trim() ? null : t.form.required),
      current: (current) => (session || current ? null : t.form.required),
    },
  });
  const confirm = useMutation({
    mutationFn: confirmEmailChange,
    onError: (error) => form.setErrors(errorsOf(error)),
  });
  // The open session may be that of another account.
  const asksPassword = !session || form.values.current !== '' || Boolean(form.errors.current);

  if (confirm.isSuccess) {
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
      <form
        noValidate
        onSubmit={form.onSubmit(({ token, current }) =>
          confirm.mutate({ token: token.trim(), current: current || undefined }),
        )}
      >
        <Stack>
          <TokenField label={texts.token} {...form.getInputProps('token')} />
          {asksPassword && (
            <SecretInput
              label={texts.current}
              description={texts.currentHint}
              autoComplete="current-password"
              size="md"
              errorProps={{ role: 'alert' }}
              {...form.getInputProps('current')}
            />
          )}
          <Button type="submit" size="md" fullWidth loading={confirm.isPending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}

/** Errors by field. What belongs to no field is shown at the token. */
function errorsOf(error: unknown): { token?: string; current?: string } {
  const errors = fieldErrors(error);
  if (errors.current) return { current: errors.current };
  return { token: errors.email ? t.auth.emailTaken : (errors.confirmation_token ?? messageOf(error)) };
}
