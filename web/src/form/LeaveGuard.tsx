import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { isDialogGuarded, useDialogGuard } from '@/ui/dialogs/dialog-guard';
import { Button, Group, Text } from '@/ui/kit';

interface Props {
  active: boolean;
  /** True if the query is the view of a list, which leaves the input alone. */
  hasList?: boolean;
  /** What is lost, if it is not unsaved changes. */
  loss?: { title: string; text: string };
  /** Called when the user leaves, to delete the draft. */
  onLeave?: () => void;
}

const UNSAVED = { title: t.form.leaveTitle, text: t.form.leaveText };

/**
 * Asks for confirmation before the user leaves a page, a part of it with its own address, or the surrounding dialog, with
 * unsaved changes.
 */
export function LeaveGuard({ active, hasList = false, loss = UNSAVED, onLeave }: Props) {
  const [closeDialog, setCloseDialog] = useState<() => void>();
  const isInDialog = useDialogGuard(active, (close) => setCloseDialog(() => close));
  const { status, reset, proceed } = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      if (!isInDialog && isDialogGuarded()) return false;
      return hasList ? current.pathname !== next.pathname : addressOf(current) !== addressOf(next);
    },
    disabled: !active,
    withResolver: true,
  });
  const stay = () => {
    setCloseDialog(undefined);
    reset?.();
  };
  const leave = () => {
    setCloseDialog(undefined);
    onLeave?.();
    closeDialog?.();
    proceed?.();
  };
  return (
    <Dialog title={loss.title} opened={status === 'blocked' || closeDialog !== undefined} onClose={stay} isQuestion>
      <Text mb="lg">{loss.text}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={leave}>
          {t.form.leave}
        </Button>
        <Button onClick={stay} data-autofocus>
          {t.form.stay}
        </Button>
      </Group>
    </Dialog>
  );
}

/** A hash leads to another place of the same page. */
function addressOf({ pathname, search }: { pathname: string; search: unknown }): string {
  return `${pathname} ${JSON.stringify(search)}`;
}
