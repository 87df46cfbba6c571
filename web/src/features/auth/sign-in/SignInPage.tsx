import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { isCode, isStatus, messageOf } from '@/api/errors';
import type { EndReason, FactorKind, Session } from '@/api/schema.gen';
import { createSession, deleteSession, sessionQuery } from '@/api/session';
import { forgetDrafts } from '@/browser/draft-memory';
import { demoMailbox } from '@/browser/page-meta';
import { takeReturnUrl } from '@/browser/return-url';
import { blankHint } from '@/form/password-rule';
import { t } from '@/i18n/en';
import { SecretInput } from '@/ui/fields/SecretInput';
import { Button, Group, Stack, Text, TextInput, useForm } from '@/ui/kit';
import { InfoNotice } from '@/ui/notices/Notice';
import { AuthPage } from '../AuthPage';
import { failureText } from './failure-text';
import { SecondFactorForm } from './SecondFactorForm';

export function SignInPage() {
  const router = useRouter();
  const client = useQueryClient();
  const { sessionEnded } = useLocation({ select: (location) => location.state });
  const mailbox = demoMailbox();
  const [step, setStep] = useState<'password' | 'second factor' | 'ended'>('password');
  const [kinds, setKinds] = useState<readonly FactorKind[]>([]);
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.trim() ? null : t.common.required(t.signIn.email)),
      password: (password) => (password ? null : t.common.required(t.signIn.password)),
    },
  });
  const enter = (session: Session) => {
    forgetDrafts({ user: session.user.id });
    client.clear();
    client.setQueryData(sessionQuery.queryKey, session);
    // Back must not lead to the form while somebody is signed in.
    router.history.replace(takeReturnUrl() ?? '/');
  };
  const signIn = useMutation({
    mutationFn: createSession,
    onSuccess: (answer) => {
      if ('user' in answer) {
        enter(answer);
        return;
      }
      form.reset();
      setKinds(answer.kinds);
      setStep('second factor');
    },
    // The same text for every cause, unless the console itself is unavailable (B-10).
    onError: (error, { password }) => {
      form.setFieldError(
        'email',
        isCode(error, 'unavailable') ? messageOf(error) : failureText(t.signIn.failed, error),
      );
      // A password can begin or end with a blank, but one that was pasted from a mail should not.
      if (isStatus(error, 401)) form.setFieldError('password', blankHint(password));
    },
  });

  if (step === 'second factor') {
    const text = kinds.includes('passkey')
      ? { title: t.passkeys.signInTitle, lead: t.passkeys.signInLead }
      : { title: t.secondFactor.signIn.title, lead: t.secondFactor.signIn.lead };
    return (
      <AuthPage {...text}>
        <SecondFactorForm
          kinds={kinds}
          onDone={enter}
          onEnded={() => setStep('ended')}
          onBack={() => {
            // It expires by itself if the server is unreachable.
            void deleteSession().catch(() => undefined);
            setStep('password');
          }}
        />
      </AuthPage>
    );
  }
  return (
    <AuthPage
      title={t.signIn.title}
      lead={t.signIn.lead}
      notice={
        (step === 'ended' && <InfoNotice text={t.secondFactor.signIn.ended} />) ||
        (sessionEnded && <InfoNotice text={endText(sessionEnded)} />)
      }
    >
      <form
        noValidate
        onSubmit={form.onSubmit(({ email, password }) => signIn.mutate({ email: email.trim(), password }))}
      >
        <Stack>
          <TextInput
            label={t.signIn.email}
            type="email"
            inputMode="email"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            size="md"
            errorProps={{ role: 'alert' }}
            {...form.getInputProps('email')}
          />
          <SecretInput
            label={t.signIn.password}
            autoComplete="current-password"
            errorProps={{ role: 'alert' }}
            {...form.getInputProps('password')}
          />
          <Button type="submit" size="md" mt="xs" fullWidth loading={signIn.isPending}>
            {t.signIn.submit}
          </Button>
          <Group justify="space-between" fz="sm">
            <Link to="/password/reset" state={{ email: form.values.email.trim() }}>
              {t.auth.forgotten.link}
            </Link>
            <Link to="/account/confirm">{t.auth.confirm.link}</Link>
          </Group>
          {mailbox && (
            <Text size="sm" c="dimmed">
              <span>{t.signIn.mailboxLead}</span>{' '}
              <a href={mailbox} rel="noreferrer">
                {t.signIn.mailbox}
              </a>
            </Text>
          )}
        </Stack>
      </form>
    </AuthPage>
  );
}

function endText(reason: EndReason): string {
  return reason === 'too_many_sessions' ? t.signIn.tooManySessions : t.signIn.sessionEnded;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Why the session ended, if the user did not sign out. */
    sessionEnded?: EndReason;
    /** The address that was typed on the sign-in page; not in the URL, which is logged. */
    email?: string;
  }
}
