import { IconTrash } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messageOf } from '@/api/errors';
import { Button } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { ConfirmDialog } from './ConfirmDialog';

interface Props {
  /** Of the button, and the title of the dialog. */
  label: string;
  /** The alerts. */
  texts: { removed: string; removeFailed: string };
  remove: () => Promise<unknown>;
  onRemoved: () => Promise<void>;
  /** The question in the dialog. */
  children: ReactNode;
}

/** Removes something after confirmation. */
export function RemoveButton({ label, texts: { removed, removeFailed }, remove, onRemoved, children }: Props) {
  const [opened, setOpened] = useState(false);
  const removal = useMutation({
    mutationFn: remove,
    onSuccess: () => {
      alertSuccess(removed);
      return onRemoved();
    },
    onError: (error) => alertFailure(removeFailed, removed, messageOf(error)),
  });
  const close = () => {
    setOpened(false);
    removal.reset();
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTrash size={18} aria-hidden="true" />}
        aria-haspopup="dialog"
        onClick={() => setOpened(true)}
      >
        {label}
      </Button>
      <ConfirmDialog
        title={label}
        confirm={{ label, color: 'red.8', onClick: () => removal.mutate(), isPending: removal.isPending }}
        failure={removal.error ? messageOf(removal.error) : undefined}
        opened={opened}
        onClose={close}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
