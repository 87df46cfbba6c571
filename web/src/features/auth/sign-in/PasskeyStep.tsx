import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors, isCode, messageOf } from '@/api/errors';
import type { Session } from '@/api/schema.gen';
import { beginPasskeyCheck, checkPasskey } from '@/api/session';
import { askForPasskey, knowsPasskeys, PasskeyError } from '@/browser/passkeys';
import { t } from '@/i18n/en';
import { Button, Stack, Text } from '@/ui/kit';
import { ErrorLine } from '@/ui/notices/ErrorLine';

interface Props {
  onDone: (session: Session) => void;
  onEnded: () => void;
}

/** Completes a sign-in with a passkey. */
export function PasskeyStep({ onDone, onEnded }: Props) {
  const [problem, setProblem] = useState<string>();
  const check = useMutation({
    mutationFn: async () => checkPasskey(await askForPasskey(await beginPasskeyCheck())),
    onMutate: () => setProblem(undefined),
    onSuccess: onDone,
    onError: (error) => {
      if (isCode(error, 'sign_in_ended')) onEnded();
      else setProblem(problemOf(error));
    },
  });
  if (!knowsPasskeys()) return <Text size="sm">{t.passkeys.notHere}</Text>;
  return (
    <Stack gap="xs">
      <Button size="md" fullWidth autoFocus loading={check.isPending} onClick={() => check.mutate()}>
        {t.passkeys.use}
      </Button>
      {problem && <ErrorLine>{problem}</ErrorLine>}
    </Stack>
  );
}

function problemOf(error: unknown): string {
  if (error instanceof PasskeyError) return t.passkeys.problems[error.problem];
  return fieldErrors(error).passkey ? t.passkeys.problems.failed : messageOf(error);
}
