import { useMutation } from '@tanstack/react-query';
import { fieldErrors, isCode, messageOf } from '@/api/errors';
import type { Session } from '@/api/schema.gen';
import { checkSecondFactor } from '@/api/session';
import { t } from '@/i18n/en';
import { Button, Stack, TextInput, useForm } from '@/ui/kit';

interface Props {
  onDone: (session: Session) => void;
  /** The server does not wait for a code any more. */
  onEnded: () => void;
  onBack: () => void;
}

/** The second step of a sign-in. */
export function SecondFactorForm({ onDone, onEnded, onBack }: Props) {
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

  return (
    <form noValidate onSubmit={form.onSubmit(({ code }) => check.mutate(code))}>
      <Stack>
        <TextInput
          label={t.secondFactor.signIn.code}
          description={t.secondFactor.signIn.hint}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          size="md"
          autoFocus
          errorProps={{ role: 'alert' }}
          {...form.getInputProps('code')}
        />
        <Button type="submit" size="md" mt="xs" fullWidth loading={check.isPending}>
          {t.secondFactor.signIn.submit}
        </Button>
        <Button variant="subtle" onClick={onBack}>
          {t.secondFactor.signIn.back}
        </Button>
      </Stack>
    </form>
  );
}
