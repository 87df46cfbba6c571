import { IconAlertTriangle, IconCheck, IconClock, IconClockX } from '@tabler/icons-react';
import type { Command, CommandStatus } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { instant } from '@/lib/instant';
import { shortTime } from '@/lib/time';
import { useNow } from '@/ui/useNow';
import classes from './CommandMark.module.css';

const ICONS = { pending: IconClock, acknowledged: IconCheck, failed: IconAlertTriangle, expired: IconClockX };

interface Props {
  command: CommandStatus & Partial<Pick<Command, 'reported'>>;
  /** How a value of this kind is written. */
  text?: (value: number | null | undefined) => string;
  /** What was sent, where it does not stand below its value. */
  of?: string;
}

/** What became of a value that a user sent, and since when. */
export function CommandMark({ command, text, of }: Props) {
  const now = useNow();
  const { state, sentAt, reported } = command;
  const Icon = ICONS[state];
  const time = (at: string) => shortTime(instant(at), now);
  const what = t.device.command[state](time(sinceOf(command)));
  const parts = [
    of === undefined ? what : t.device.command.of(of, what),
    state === 'expired' && t.device.command.sent(time(sentAt)),
    state !== 'acknowledged' && text && typeof reported === 'number' && t.device.command.reported(text(reported)),
  ];
  return (
    <p className={classes.mark} data-state={state} role="status">
      <Icon size={16} aria-hidden="true" />
      <span>{parts.filter(Boolean).join(' · ')}</span>
    </p>
  );
}

/** When it came to be what it is; a cloud that does not tell leaves us with when it was sent. */
function sinceOf({ state, sentAt, answeredAt, expiresAt }: CommandStatus): string {
  if (state === 'pending') return sentAt;
  return (state === 'expired' ? expiresAt : answeredAt) ?? sentAt;
}
