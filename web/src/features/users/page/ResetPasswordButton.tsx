import { IconMailForward } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import type { User } from '@/api/schema.gen';
import { sendPasswordReset } from '@/api/user-form';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { Button, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

/** Sends the user a password reset mail after confirmation. */
export function ResetPasswordButton({ user: { id, email } }: { user: User }) {
  const [opened, setOpened] = useState(false);
  const send = useMutation({
    mutationFn: () => sendPasswordReset(id),
    onSuccess: () => {
      alertSuccess(t.userForm.resetSent);
      setOpened(false);
    },
    onError: (error) => alertFailure(t.userForm.resetFailed, t.userForm.resetSent, messageOf(error)),
  });
  const close = () => {
    setOpened(false);
    send.reset();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconMailForward size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {t.userForm.resetPassword}
      </Button>
      <ConfirmDialog
        title={t.userForm.resetPassword}
        confirm={{ label: t.userForm.send, onClick: () => send.mutate(), isPending: send.isPending }}
        failure={send.error ? messageOf(send.error) : undefined}
        opened={opened}
        onClose={close}
      >
        <Text>{t.userForm.resetQuestion(email)}</Text>
      </ConfirmDialog>
    </>
  );
}
