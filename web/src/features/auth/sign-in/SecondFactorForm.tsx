import { useMutation } from '@tanstack/react-query';
import { fieldErrors, isCode, messageOf } from '@/api/errors';
import type { FactorKind, Session } from '@/api/schema.gen';
import { checkSecondFactor } from '@/api/session';
import { t } from '@/i18n/en';
import { Button, Skeleton, Stack, Text, TextInput, useForm } from '@/ui/kit';
import { lazyPart } from '@/ui/notices/lazy-part';

const PasskeyStep = lazyPart(async () => (await import('./PasskeyStep')).PasskeyStep, <Skeleton height={42} />);

interface Props {
  /** What the server accepts. */
  kinds: readonly FactorKind[];
  onDone: (session: Session) => void;
  /** The server does not wait for a second factor any more. */
  onEnded: () => void;
  onBack: () => void;
}

/** The second step of a sign-in. */
export function SecondFactorForm({ kinds, onDone, onEnded, onBack }: Props) {
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (code) => (code.trim() ? null : t.common.required(t.secondFactor.signIn.code)) },
  });
  const check = useMutation({
    mutationFn: checkSecondFactor,
    onSuccess: onDone,
    onError: (error) => {
      if (isCode(error, 'sign_in_ended')) {
        onEnded();
        return;
      }
      form.setFieldError('code', fieldErrors(error).code ?? messageOf(error));
      form.getInputNode('code')?.focus();
    },
  });

  const hasPasskey = kinds.includes('passkey');
  return (
    <form noValidate onSubmit={form.onSubmit(({ code }) => check.mutate(code))}>
      <Stack>
        {hasPasskey && (
          <>
            <PasskeyStep onDone={onDone} onEnded={onEnded} />
            <Text size="sm">{t.passkeys.orCode}</Text>
          </>
        )}
        <TextInput
          label={t.secondFactor.signIn.code}
          description={kinds.includes('totp') ? t.secondFactor.signIn.hint : t.passkeys.recoveryHint}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          autoFocus={!hasPasskey}
          errorProps={{ role: 'alert' }}
          {...form.getInputProps('code')}
        />
        <Button
          type="submit"
          size="md"
          mt="xs"
          fullWidth
          variant={hasPasskey ? 'default' : 'filled'}
          loading={check.isPending}
        >
          {t.secondFactor.signIn.submit}
        </Button>
        <Button variant="subtle" onClick={onBack}>
          {t.secondFactor.signIn.back}
        </Button>
      </Stack>
    </form>
  );
}
