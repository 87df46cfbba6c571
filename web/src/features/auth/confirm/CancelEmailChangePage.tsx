import { useMutation } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import { cancelEmailChange } from '@/api/unsigned';
import { t } from '@/i18n/en';
import { Button, Text, useForm } from '@/ui/kit';
import { AuthPage } from '../AuthPage';
import { CompletionNotice, SignInButton } from '../CompletionNotice';
import { useLinkToken } from '../useLinkToken';
import { TokenForm } from './TokenForm';

const texts = t.auth.cancelEmailChange;
const route = getRouteApi('/account/email/cancel');

/**
 * Restores the old e-mail address of an account. Waits for a click even with a token in the address, because programs that
 * check links in mails must not cancel a change.
 */
export function CancelEmailChangePage() {
  const token = useLinkToken('/account/email/cancel', route.useSearch().token);
  const form = useForm({
    initialValues: { token },
    validate: { token: (token) => (token.trim() ? null : t.form.required) },
  });
  const cancel = useMutation({
    mutationFn: cancelEmailChange,
    onError: (error) => form.setFieldError('token', tokenError(error)),
  });

  if (cancel.isSuccess) {
    return (
      <AuthPage title={texts.title}>
        <CompletionNotice text={texts.done}>
          <Text size="sm" c="dimmed">
            {texts.newPasswordLead}
          </Text>
          <Button size="md" fullWidth renderRoot={(props) => <Link to="/password/reset" {...props} />}>
            {texts.newPassword}
          </Button>
          <SignInButton />
        </CompletionNotice>
      </AuthPage>
    );
  }
  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <TokenForm
        form={form}
        texts={texts}
        isPending={cancel.isPending}
        onSubmit={(token) => cancel.mutate({ token })}
      />
    </AuthPage>
  );
}

function tokenError(error: unknown): string {
  const errors = fieldErrors(error);
  if (errors.email) return t.auth.emailTaken;
  return errors.cancellation_token ?? (isStatus(error, 422) ? texts.invalid : messageOf(error));
}
