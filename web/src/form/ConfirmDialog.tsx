import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Group } from '@/ui/kit';
import { ErrorLine } from '@/ui/notices/ErrorLine';

interface Props {
  title: string;
  /** The action to confirm. */
  children: ReactNode;
  confirm: { label: string; color?: string; onClick: () => void; isPending: boolean };
  /** The error of the action. */
  failure?: string | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Asks for confirmation of an action. */
export function ConfirmDialog({ title, children, confirm, failure, opened, onClose }: Props) {
  return (
    <Dialog title={title} opened={opened} onClose={onClose}>
      {children}
      {failure && <ErrorLine mb={16}>{failure}</ErrorLine>}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose} data-autofocus>
          {t.common.cancel}
        </Button>
        <Button {...(confirm.color && { color: confirm.color })} loading={confirm.isPending} onClick={confirm.onClick}>
          {confirm.label}
        </Button>
      </Group>
    </Dialog>
  );
}
