import { useBlocker } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/Dialog';
import { Button, Group, Text } from '@/ui/kit';

/** Asks before another page takes the place of one with something unsaved. */
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
