import type { JobTarget } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './JobPanel.module.css';

/** More reasons than anybody reads. */
const MOST = 50;

/** The devices that failed, each with its reason. */
export function JobFailures({ targets }: { targets: readonly JobTarget[] }) {
  const failed = targets.filter(({ state }) => state === 'failed');
  const rest = failed.length - MOST;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also for who has no mouse
    <ul className={classes.failures} aria-label={t.jobs.failures} tabIndex={0}>
      {failed.slice(0, MOST).map(({ dsn, reason }) => (
        <li key={dsn}>
          <span>{dsn}</span>
          <span className={classes.reason}>{reason}</span>
        </li>
      ))}
      {rest > 0 && <li>{t.jobs.moreFailures(rest)}</li>}
    </ul>
  );
}
