import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteCsp, dropCsp } from '@/api/csps';
import { messageOf } from '@/api/errors';
import type { CspView } from '@/api/schema.gen';
import { ConfirmDialog } from '@/form/ConfirmDialog';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Button, Text } from '@/ui/kit';

interface Props {
  csp: CspView;
  onRemoved: () => Promise<void>;
}

/** Removes the CSP after confirmation. */
export function RemoveCspButton({ csp, onRemoved }: Props) {
  const client = useQueryClient();
  const [opened, setOpened] = useState(false);
  const remove = useMutation({
    mutationFn: () => deleteCsp(csp.id),
    onSuccess: async () => {
      alertSuccess(t.csps.removed);
      // The CSP's page would read the removed CSP again.
      await onRemoved();
      await dropCsp(client, csp.id);
    },
    onError: () => alertFailure(t.csps.removeFailed, t.csps.removed),
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
        {t.csps.remove}
      </Button>
      <ConfirmDialog
        title={t.csps.remove}
        confirm={{ label: t.csps.remove, color: 'red.8', onClick: () => remove.mutate(), isPending: remove.isPending }}
        failure={remove.isError ? messageOf(remove.error) : undefined}
        opened={opened}
        onClose={close}
      >
        <Text>{t.csps.removeQuestion(csp.name)}</Text>
      </ConfirmDialog>
    </>
  );
}
