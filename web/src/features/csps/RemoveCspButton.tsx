import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { deleteCsp, dropCsp } from '@/api/csps';
import { messageOf } from '@/api/errors';
import type { CspView } from '@/api/schema.gen';
import formClasses from '@/form/Form.module.css';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Text } from '@/ui/kit';

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
      <Dialog title={t.csps.remove} opened={opened} onClose={close}>
        <Text mb="lg">{t.csps.removeQuestion(csp.name)}</Text>
        {remove.isError && (
          <p className={formClasses.failure} role="alert">
            {messageOf(remove.error)}
          </p>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            {t.common.cancel}
          </Button>
          <Button color="red.8" loading={remove.isPending} onClick={() => remove.mutate()}>
            {t.csps.remove}
          </Button>
        </Group>
      </Dialog>
    </>
  );
}
