import type { JobTarget } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './JobPanel.module.css';

/** Maximum number of displayed failures. */
const MAX_SHOWN = 50;

/** The devices that failed, each with its reason. */
export function JobFailures({ targets }: { targets: readonly JobTarget[] }) {
  const failed = targets.filter(({ state }) => state === 'failed');
  const rest = failed.length - MAX_SHOWN;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
    <ul className={classes.failures} aria-label={t.jobs.failures} tabIndex={0}>
      {failed.slice(0, MAX_SHOWN).map(({ dsn, reason }) => (
        <li key={dsn}>
          <span>{dsn}</span>
          <span className={classes.reason}>{reason}</span>
        </li>
      ))}
      {rest > 0 && <li>{t.jobs.moreFailures(rest)}</li>}
    </ul>
  );
}
