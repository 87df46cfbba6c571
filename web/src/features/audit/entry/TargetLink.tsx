import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';

interface Props {
  entry: AuditEntry;
  /** A click on the list row follows this link. */
  opensRow?: boolean;
}

/** The changed object. Omitted for users who changed their own account, because they are shown as the actor. */
export function TargetLink({ entry: { target, actor }, opensRow = true }: Props) {
  const { kind, id } = target;
  const seesUsers = useCan('users.view');
  const opensCsps = useCan('csps.edit');
  const mark = opensRow ? ROW_LINK : {};
  if (kind === 'device') {
    return (
      <Link to="/devices/$dsn" params={{ dsn: id }} className={rowLink.link} {...mark}>
        {id}
      </Link>
    );
  }
  // A failed invitation created no user.
  if (kind === 'user' && seesUsers && id !== '' && id !== actor.userId) {
    return (
      <Link to="/users/$id" params={{ id }} className={rowLink.link} {...mark}>
        {t.audit.user}
      </Link>
    );
  }
  if (kind === 'csp' && opensCsps) {
    return (
      <Link to="/csps/$id" params={{ id }} className={rowLink.link} {...mark}>
        {t.csps.one}
      </Link>
    );
  }
  return null;
}
