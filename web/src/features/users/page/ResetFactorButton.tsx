import { IconShieldOff } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import type { User } from '@/api/schema.gen';
import { rereadUsers, resetSecondFactor } from '@/api/user-form';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { Button, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

/** Resets the second factor of a user who has lost it, after confirmation. */
export function ResetFactorButton({ user: { id, email } }: { user: User }) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const reset = useMutation({
    mutationFn: () => resetSecondFactor(id),
    onSuccess: async () => {
      alertSuccess(t.userForm.factorReset);
      setOpened(false);
      await rereadUsers(client);
    },
    onError: (error) => alertFailure(t.userForm.factorResetFailed, t.userForm.factorReset, messageOf(error)),
  });
  const close = () => {
    setOpened(false);
    reset.reset();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconShieldOff size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {t.userForm.resetFactor}
      </Button>
      <ConfirmDialog
        title={t.userForm.resetFactor}
        confirm={{ label: t.userForm.resetFactorConfirm, onClick: () => reset.mutate(), isPending: reset.isPending }}
        failure={reset.error ? messageOf(reset.error) : undefined}
        opened={opened}
        onClose={close}
      >
        <Text>{t.userForm.resetFactorQuestion(email)}</Text>
      </ConfirmDialog>
    </>
  );
}
