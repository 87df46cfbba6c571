import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { auditQuery } from '@/api/audit';
import { messageOf } from '@/api/errors';
import type { AuditOperation } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { Button, Skeleton, Text } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { Loading } from '@/ui/notices/Loading';
import { ErrorNotice } from '@/ui/notices/Notice';
import classes from './ChangesBlock.module.css';
import { AuditCard } from './entry/AuditCard';

/** Number of changes on a device or user page; /audit shows all. */
const LATEST = 5;

interface Props {
  target: string;
  /** A button for the newest change by this operation. Shown above the changes if that is not among them. */
  undo?: { operation: AuditOperation; button: ReactNode };
}

/** The latest changes of one device or user. */
export function ChangesBlock({ target, undo }: Props) {
  const query = useInfiniteQuery(auditQuery({ target, limit: LATEST }));
  const [latest] = query.data?.pages ?? [];
  const undoable = latest?.entries.find(({ operation, result }) => operation === undo?.operation && result === 'done');
  return (
    <Card
      title={t.audit.block}
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          renderRoot={(props) => <Link to="/audit" search={{ target }} {...props} />}
        >
          {t.audit.showAll}
        </Button>
      }
    >
      {latest && !undoable && undo?.button}
      {latest && latest.entries.length > 0 ? (
        <ul className={classes.entries}>
          {latest.entries.map((entry) => (
            <li key={entry.id}>
              <AuditCard entry={entry} more={entry === undoable && undo?.button} />
            </li>
          ))}
        </ul>
      ) : latest ? (
        <Text size="sm" c="dimmed">
          {t.audit.blockEmpty}
        </Text>
      ) : query.isError ? (
        <ErrorNotice title={t.audit.failed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <Loading>
          <Skeleton height={72} />
        </Loading>
      )}
    </Card>
  );
}
