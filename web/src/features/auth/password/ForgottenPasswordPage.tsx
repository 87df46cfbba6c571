import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { fieldErrors, hasNoAnswer, isStatus, messageOf } from '@/api/errors';
import { requestPasswordReset } from '@/api/unsigned';
import { isEmail } from '@/domain/email';
import { t } from '@/i18n/en';
import { Button, Stack, TextInput, useForm } from '@/ui/kit';
import { AuthPage } from '../AuthPage';
import { CompletionNotice } from '../CompletionNotice';
import { failureText } from '../sign-in/failure-text';

const texts = t.auth.forgotten;

/** Requests the password reset mail. The page does not reveal whether the address has an account. */
export function ForgottenPasswordPage() {
  const { email = '' } = useLocation({ select: (location) => location.state });
  const form = useForm({
    initialValues: { email },
    validate: { email: (email) => (isEmail(email) ? null : texts.invalidEmail) },
  });
  const ask = useMutation({ mutationFn: requestPasswordReset });
  const refusal = refusalOf(ask.error);
  if (ask.isSuccess || (ask.isError && !refusal)) {
    return <Sent email={form.values.email.trim()} error={ask.error} onAgain={ask.reset} />;
  }
  return (
    <AuthPage title={texts.title} lead={texts.lead}>
      <form noValidate onSubmit={form.onSubmit(({ email }) => ask.mutate({ email: email.trim() }))}>
        <Stack>
          <TextInput
            label={texts.email}
            type="email"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            size="md"
            errorProps={{ role: 'alert' }}
            {...form.getInputProps('email')}
            error={form.errors.email ?? (ask.isPending ? undefined : refusal)}
          />
          <Button type="submit" size="md" fullWidth loading={ask.isPending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AuthPage>
  );
}

/** Input errors and rate limits, which do not reveal whether an account exists. */
function refusalOf(error: unknown): string | undefined {
  return fieldErrors(error).email ?? (isStatus(error, 429) ? messageOf(error) : undefined);
}

interface SentProps {
  email: string;
  error: unknown;
  onAgain: () => void;
}

function Sent({ email, error, onAgain }: SentProps) {
  return (
    <AuthPage title={texts.sentTitle}>
      <CompletionNotice text={failureText(texts.sent(email), error)}>
        {hasNoAnswer(error) && (
          <Button size="md" fullWidth onClick={onAgain}>
            {t.auth.again}
          </Button>
        )}
        <Button size="md" fullWidth renderRoot={(props) => <Link to="/password/set" {...props} />}>
          {texts.set}
        </Button>
        <Button size="md" variant="default" fullWidth renderRoot={(props) => <Link to="/signin" {...props} />}>
          {t.auth.signIn}
        </Button>
      </CompletionNotice>
    </AuthPage>
  );
}
