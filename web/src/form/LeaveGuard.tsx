import { useBlocker } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Text } from '@/ui/kit';

interface Props {
  active: boolean;
  /** True if the query is the view of a list, which leaves the input alone. */
  hasList?: boolean;
  /** What is lost, if it is not unsaved changes. */
  loss?: { title: string; text: string };
}

const UNSAVED = { title: t.form.leaveTitle, text: t.form.leaveText };

/** Asks for confirmation before the user leaves a page, or a part of it with its own address, with unsaved changes. */
export function LeaveGuard({ active, hasList = false, loss = UNSAVED }: Props) {
  const { status, reset, proceed } = useBlocker({
    shouldBlockFn: ({ current, next }) =>
      hasList ? current.pathname !== next.pathname : addressOf(current) !== addressOf(next),
    disabled: !active,
    withResolver: true,
  });
  return (
    <Dialog title={loss.title} opened={status === 'blocked'} onClose={() => reset?.()}>
      <Text mb="lg">{loss.text}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={proceed}>
          {t.form.leave}
        </Button>
        <Button onClick={reset} data-autofocus>
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
