import type { JobTarget } from '@/api/schema.gen';
import { t } from '@/i18n/en';

/** More than that nobody reads in an alert; the panel has them all. */
const MOST = 5;

/** The devices that were not copied to, by their reasons. */
export function failureText(targets: readonly JobTarget[]): string {
  const named = targets.slice(0, MOST).map(({ dsn }) => dsn);
  const reasons = new Set(targets.flatMap(({ reason }) => reason ?? []));
  const [reason] = reasons;
  const text = t.copy.notCopied(named.join(', '), targets.length - named.length);
  // One reason for all says more than how many failed.
  return reasons.size === 1 && reason ? `${text} ${reason}` : text;
}
