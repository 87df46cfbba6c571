import { Link } from '@tanstack/react-router';
import type { AuditTarget } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';

/** What was changed. A user stands beside it already, as who did it. */
export function TargetLink({ target: { kind, id } }: { target: AuditTarget }) {
  const opensCsps = useCan('csps.edit');
  if (kind === 'device') {
    return (
      <Link to="/devices/$dsn" params={{ dsn: id }} className={rowLink.link} {...ROW_LINK}>
        {id}
      </Link>
    );
  }
  if (kind === 'csp' && opensCsps) {
    return (
      <Link to="/csps/$id" params={{ id }} className={rowLink.link} {...ROW_LINK}>
        {t.csps.one}
      </Link>
    );
  }
  return null;
}
