import { useBlocker } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Text } from '@/ui/kit';

/** Asks for confirmation before the user leaves a page with unsaved changes. */
export function LeaveGuard({ active }: { active: boolean }) {
  const { status, reset, proceed } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    disabled: !active,
    withResolver: true,
  });
  return (
    <Dialog title={t.form.leaveTitle} opened={status === 'blocked'} onClose={() => reset?.()}>
      <Text mb="lg">{t.form.leaveText}</Text>
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
