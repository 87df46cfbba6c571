import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { auditQuery } from '@/api/audit';
import { messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { Card } from '@/ui/Card';
import { Button, Skeleton, Text } from '@/ui/kit';
import { Loading } from '@/ui/Loading';
import { ErrorNotice } from '@/ui/Notice';
import { AuditCard } from './AuditCard';
import classes from './ChangesBlock.module.css';

/** Number of changes on a device or user page; /audit shows all. */
const LATEST = 5;

/** The latest changes of one device or user. */
export function ChangesBlock({ target }: { target: string }) {
  const query = useInfiniteQuery(auditQuery({ target, limit: LATEST }));
  const [latest] = query.data?.pages ?? [];
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
      {latest && latest.entries.length > 0 ? (
        <ul className={classes.entries}>
          {latest.entries.map((entry) => (
            <li key={entry.id}>
              <AuditCard entry={entry} />
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
