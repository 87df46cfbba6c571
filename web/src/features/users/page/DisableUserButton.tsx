import { IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { assignedCountQuery } from '@/api/attention';
import { messageOf } from '@/api/errors';
import type { User } from '@/api/schema.gen';
import { disableUser, enableUser, rereadUsers } from '@/api/user-form';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { Button, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

/** Disables a user, or enables one who is disabled, after confirmation. */
export function DisableUserButton({ user: { id, email, disabled } }: { user: User }) {
  const Icon = disabled ? IconUserCheck : IconUserOff;
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  // The dialog keeps its text while it closes.
  const [enables, setEnables] = useState(disabled);
  const texts = enables ? t.userForm.enable : t.userForm.disable;
  const change = useMutation({
    mutationFn: () => (enables ? enableUser(id) : disableUser(id)),
    onSuccess: async () => {
      alertSuccess(texts.done);
      setOpened(false);
      await rereadUsers(client);
    },
    onError: (error) => alertFailure(texts.failed, texts.done, messageOf(error)),
  });
  const close = () => {
    setOpened(false);
    change.reset();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => {
          setEnables(disabled);
          setOpened(true);
        }}
      >
        {disabled ? t.userForm.enable.title : t.userForm.disable.title}
      </Button>
      <ConfirmDialog
        title={texts.title}
        confirm={{ label: texts.confirm, onClick: () => change.mutate(), isPending: change.isPending }}
        failure={change.error ? messageOf(change.error) : undefined}
        opened={opened}
        onClose={close}
      >
        <Text>{texts.question(email)}</Text>
        {!enables && <KeptItems id={id} />}
      </ConfirmDialog>
    </>
  );
}

/** Names the open items that stay with a user who is to be disabled. */
function KeptItems({ id }: { id: string }) {
  const count = useQuery(assignedCountQuery(id));
  if (count.isError) return <Text>{t.userForm.keptItemsFailed}</Text>;
  return count.data ? <Text>{t.userForm.keptItems(count.data)}</Text> : null;
}
