import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AuditQuery, auditQuery } from '@/api/audit';
import { messageOf } from '@/api/errors';
import { ChangeList } from '@/form/changes/ChangeList';
import { OlderButton } from '@/form/list/OlderButton';
import { t } from '@/i18n/en';
import { Button, Skeleton, Text } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import { ErrorNotice } from '@/ui/notices/Notice';
import { ResultMark } from '../entry/ResultMark';
import { TargetLink } from '../entry/TargetLink';
import { type AuditRow, isInGroup } from './audit-rows';
import classes from './JobChanges.module.css';

interface Props {
  folded: NonNullable<AuditRow['folded']>;
  /** The filter of the list, which also applies here. */
  query: AuditQuery;
}

/** The changes of a job or an import, collapsed at first. */
export function JobChanges({ folded: { of, count, failed }, query }: Props) {
  const [opened, setOpened] = useState(false);
  const Icon = opened ? IconChevronDown : IconChevronRight;
  return (
    <div className={classes.job}>
      <Button
        className={classes.toggle}
        variant="subtle"
        size="compact-sm"
        leftSection={<Icon size={16} aria-hidden="true" />}
        aria-expanded={opened}
        onClick={() => setOpened(!opened)}
      >
        {failed > 0 ? t.audit.jobFailures(count, failed) : t.audit.jobChanges(count)}
      </Button>
      {opened && <Changes query={{ ...query, ...of }} />}
    </div>
  );
}

function Changes({ query: { foldJobs: _, ...query } }: { query: AuditQuery }) {
  const list = useInfiniteQuery(auditQuery(query));
  const entries = list.data?.pages.flatMap((page) => page.entries).filter(isInGroup);
  if (!entries && list.isError) {
    return <ErrorNotice title={t.audit.failed} reason={messageOf(list.error)} onRetry={() => void list.refetch()} />;
  }
  if (!entries) {
    return (
      <Loading>
        <Skeleton height={72} />
      </Loading>
    );
  }
  return (
    <>
      {entries.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.audit.jobEmpty}
        </Text>
      )}
      <ul className={classes.changes}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <TargetLink entry={entry} opensRow={false} />
            <ChangeList {...entry} />
            {entry.result !== 'done' && <ResultMark entry={entry} />}
          </li>
        ))}
      </ul>
      <OlderButton query={list} failed={t.audit.olderFailed} />
    </>
  );
}
