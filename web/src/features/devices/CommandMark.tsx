import { IconAlertTriangle, IconClock, IconClockX } from '@tabler/icons-react';
import type { Command } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { shortTime } from '@/lib/time';
import { useNow } from '@/ui/useNow';
import classes from './CommandMark.module.css';

const ICONS = { pending: IconClock, failed: IconAlertTriangle, expired: IconClockX };

interface Props {
  command: Command;
  text: (value: number | null | undefined) => string;
}

/** What became of a value that a user sent, until the device has taken it over. */
export function CommandMark({ command: { state, sentAt, reported }, text }: Props) {
  const now = useNow();
  if (state === 'acknowledged') return null;
  const Icon = ICONS[state];
  return (
    <p className={classes.mark} data-state={state} role="status">
      <Icon size={16} aria-hidden="true" />
      <span>
        {t.device.command[state](shortTime(new Date(sentAt), now))}
        {typeof reported === 'number' && ` · ${t.device.command.reported(text(reported))}`}
      </span>
    </p>
  );
}
