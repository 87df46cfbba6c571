import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef } from 'react';
import { type AuditQuery, auditQuery, reportAudit } from '@/api/audit';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import type { AuditEntry } from '@/api/schema.gen';
import { OlderButton } from '@/form/list/OlderButton';
import { useLink } from '@/form/list/useLink';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Group, Stack, Text, Title } from '@/ui/kit';
import { Panel } from '@/ui/layout/Card';
import { DataTable } from '@/ui/list/DataTable';
import { FilterBar } from '@/ui/list/FilterBar';
import { filterTexts } from '@/ui/list/filter-field';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { ReportButton } from '@/ui/list/ReportButton';
import { RowCards } from '@/ui/list/RowCards';
import { useListKeys } from '@/ui/list/useListKeys';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { AuditCard } from '../entry/AuditCard';
import { TargetLink } from '../entry/TargetLink';
import { auditColumns } from './audit-columns';
import { auditFilterFields } from './audit-filters';
import { type AuditRow, foldGroups, isInGroup } from './audit-rows';
import { readAuditSearch, toAuditFilters, toAuditQuery } from './audit-search';
import { JobChanges } from './JobChanges';

const route = getRouteApi('/signed-in/audit');
const SKELETON_ROWS = 10;

/** The audit: changes with author, target and result. */
export function AuditPage() {
  useDeviceEvents([]);
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list);
  const search = readAuditSearch(route.useSearch());
  const chosen = filterTexts(auditFilterFields, search);
  usePageTitle(t.audit.title, chosen);
  const link = useLink();
  const navigate = route.useNavigate();
  const filter = toAuditQuery(search);
  const query = useInfiniteQuery(auditQuery(filter));
  const entries = query.data?.pages.flatMap((page) => page.entries);
  const isFiltered = Object.values(search).some(Boolean);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <div>
          <Title order={1} size={26}>
            {t.audit.title}
          </Title>
          <Text size="sm" c="dimmed">
            {t.audit.lead}
          </Text>
        </div>
        <ReportButton
          report={{
            list: 'audit',
            hasJson: true,
            reasonOf: messageOf,
            generate: (options, signal) => reportAudit({ ...toAuditFilters(search), ...options }, signal),
          }}
          filter={chosen.at(-1)}
        />
      </Group>
      <FilterBar
        link={link}
        fields={auditFilterFields}
        filters={search}
        onChange={(filters) => void navigate({ search: readAuditSearch({ ...search, ...filters }) })}
        dialogTitle={t.audit.filterTitle}
        hint={t.audit.filterHint}
      />
      <Panel ref={list}>
        {entries && entries.length > 0 ? (
          <Entries entries={entries} query={filter} />
        ) : entries ? (
          <EmptyNotice title={t.list.empty} text={isFiltered ? t.audit.noMatch : t.audit.noRows} />
        ) : query.isError ? (
          <ErrorNotice title={t.audit.failed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
        ) : (
          <ListSkeleton rows={SKELETON_ROWS} />
        )}
        <OlderButton query={query} failed={t.audit.olderFailed} />
      </Panel>
    </Stack>
  );
}

const keyOf = ({ entry }: AuditRow) => entry.id;

function Entries({ entries, query }: { entries: readonly AuditEntry[]; query: AuditQuery }) {
  const rows = { rows: foldGroups(entries), rowKey: keyOf, busy: false };
  if (useIsHandheld()) {
    return (
      <RowCards
        {...rows}
        card={({ entry, folded }) =>
          folded ? (
            <AuditCard
              entry={isInGroup(entry) ? { ...entry, changes: [] } : entry}
              more={<JobChanges folded={folded} query={query} />}
            />
          ) : (
            <AuditCard entry={entry} target={<TargetLink entry={entry} />} />
          )
        }
      />
    );
  }
  return <DataTable {...rows} caption={t.audit.title} columns={auditColumns(query)} />;
}
