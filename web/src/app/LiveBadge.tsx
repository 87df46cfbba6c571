import { useHasLive, useLiveState } from '@/api/live/live';
import { t } from '@/i18n/en';
import { Tooltip } from '@/ui/kit';
import classes from './LiveBadge.module.css';

/** Whether what is on the screen follows what happens. */
export function LiveBadge() {
  const state = useLiveState();
  if (!useHasLive()) return null;
  return (
    <Tooltip label={t.live.meaning[state]}>
      <span className={classes.badge} data-state={state} role="status">
        <span className={classes.dot} aria-hidden="true" />
        {t.live[state]}
      </span>
    </Tooltip>
  );
}
