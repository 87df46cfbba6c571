import { useHasLive, useLiveState } from '@/api/live/live';
import { t } from '@/i18n/en';
import classes from './LiveBadge.module.css';

/** Shows whether the page is live. */
export function LiveBadge() {
  const state = useLiveState();
  if (!useHasLive()) return null;
  return (
    <span className={classes.badge} data-state={state} role="status" title={t.live.meaning[state]}>
      <span className={classes.dot} aria-hidden="true" />
      <span>{t.live[state]}</span>
    </span>
  );
}
