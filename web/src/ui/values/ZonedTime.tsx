import '@mantine/core/styles/Tooltip.css';
import type { ReactNode } from 'react';
import { dateTime, isForeign } from '@/browser/time';
import { t } from '@/i18n/en';
import { Tooltip } from '@/ui/kit';
import classes from './ZonedTime.module.css';
import { useZone } from './zone-context';

interface Props {
  at: Date;
  /** Shown instead of date and time, which then are in the hint. */
  children?: ReactNode;
}

/** A time in the zone of its page. If that is not the reader's, the reader's time is shown on hover, focus and touch. */
export function ZonedTime({ at, children }: Props) {
  const zone = useZone();
  const full = dateTime(at, zone);
  const hints = [children && full, isForeign(at, zone) && t.time.yours(dateTime(at))].filter(Boolean);
  const time = <time dateTime={at.toISOString()}>{children ?? full}</time>;
  if (hints.length === 0) return time;
  return (
    <Tooltip multiline label={hints.join('\n')} classNames={{ tooltip: classes.hint }} events={EVENTS}>
      <button type="button" className={classes.time}>
        {time}
      </button>
    </Tooltip>
  );
}

const EVENTS = { hover: true, focus: true, touch: true };
