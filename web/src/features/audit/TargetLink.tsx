import { Link } from '@tanstack/react-router';
import type { AuditTarget } from '@/api/schema.gen';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';

/** What was changed. A user stands beside it already, as who did it. */
export function TargetLink({ target: { kind, id } }: { target: AuditTarget }) {
  if (kind !== 'device') return null;
  return (
    <Link to="/devices/$dsn" params={{ dsn: id }} className={rowLink.link} {...ROW_LINK}>
      {id}
    </Link>
  );
}
