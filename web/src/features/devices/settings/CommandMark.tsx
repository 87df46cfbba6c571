import { IconAlertTriangle, IconCheck, IconClock, IconClockX } from '@tabler/icons-react';
import type { Command, CommandStatus } from '@/api/schema.gen';
import { isForeign, shortTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { ZonedTime } from '@/ui/values/ZonedTime';
import { useZone } from '@/ui/values/zone-context';
import classes from './CommandMark.module.css';

const ICONS = { pending: IconClock, acknowledged: IconCheck, failed: IconAlertTriangle, expired: IconClockX };

interface Props {
  command: CommandStatus & Partial<Pick<Command, 'reported'>>;
  /** Formats a value of this setting. */
  text?: (value: number | null | undefined) => string;
  /** The name of the command, if it is not shown below its value. */
  of?: string;
}

/** The status of a command and since when. */
export function CommandMark({ command, text, of }: Props) {
  const now = useNow();
  const { state, sentAt, reported } = command;
  const Icon = ICONS[state];
  const zone = useZone();
  const time = (at: string) => shortTime(instant(at), now, zone);
  const since = instant(sinceOf(command));
  const what = t.device.command[state](time(sinceOf(command)));
  const parts = [
    of === undefined ? what : t.device.command.of(of, what),
    state === 'expired' && t.device.command.sent(time(sentAt)),
    state !== 'acknowledged' && text && typeof reported === 'number' && t.device.command.reported(text(reported)),
  ];
  const words = parts.filter(Boolean).join(' · ');
  return (
    <p className={classes.mark} data-state={state} role="status">
      <Icon size={16} aria-hidden="true" />
      {isForeign(since, zone) ? <ZonedTime at={since}>{words}</ZonedTime> : <span>{words}</span>}
    </p>
  );
}

/** The time of the status; if the cloud has none, the time of sending. */
function sinceOf({ state, sentAt, answeredAt, expiresAt }: CommandStatus): string {
  if (state === 'pending') return sentAt;
  return (state === 'expired' ? expiresAt : answeredAt) ?? sentAt;
}
