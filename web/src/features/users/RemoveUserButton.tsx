import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import type { User } from '@/api/schema.gen';
import { dropUser, removeUser } from '@/api/user-form';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Button, Text } from '@/ui/kit';

interface Props {
  user: User;
  onRemoved: () => Promise<void>;
}

/** Removes the user after confirmation. */
export function RemoveUserButton({ user: { id, email }, onRemoved }: Props) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const remove = useMutation({
    mutationFn: () => removeUser(id),
    onSuccess: async () => {
      alertSuccess(t.userForm.removed);
      // The user's page would read the removed user again.
      await onRemoved();
      await dropUser(client, id);
    },
    onError: () => alertFailure(t.userForm.removeFailed, t.userForm.removed),
  });
  const close = () => {
    setOpened(false);
    remove.reset();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTrash size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {t.userForm.remove}
      </Button>
      <ConfirmDialog
        title={t.userForm.remove}
        confirm={{
          label: t.userForm.remove,
          color: 'red.8',
          onClick: () => remove.mutate(),
          isPending: remove.isPending,
        }}
        failure={remove.error ? messageOf(remove.error) : undefined}
        opened={opened}
        onClose={close}
      >
        <Text>{t.userForm.removeQuestion(email)}</Text>
        <Text>{t.userForm.removeWarning}</Text>
      </ConfirmDialog>
    </>
  );
}
