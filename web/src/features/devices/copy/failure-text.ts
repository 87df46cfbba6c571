import type { JobTarget } from '@/api/schema.gen';
import { t } from '@/i18n/en';

/** Maximum number of devices in an alert; the panel lists all. */
const MAX_NAMED = 5;

/** The devices that the copy failed for, by reason. */
export function failureText(targets: readonly JobTarget[]): string {
  const named = targets.slice(0, MAX_NAMED).map(({ dsn }) => dsn);
  const reasons = new Set(targets.flatMap(({ reason }) => reason ?? []));
  const [reason] = reasons;
  const text = t.copy.notCopied(named.join(', '), targets.length - named.length);
  // A shared reason is more useful than the number of failures.
  return reasons.size === 1 && reason ? `${text} ${reason}` : text;
}
