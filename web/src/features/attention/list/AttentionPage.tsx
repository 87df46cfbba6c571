import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { attentionCountQuery, attentionQuery, peopleWithItemsQuery } from '@/api/attention';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import type { AttentionItem } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { OlderButton } from '@/form/list/OlderButton';
import { useLink } from '@/form/list/useLink';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Button, Group, Stack, Text, Title } from '@/ui/kit';
import { Panel } from '@/ui/layout/Card';
import { FilterBar } from '@/ui/list/FilterBar';
import { filterTexts } from '@/ui/list/filter-field';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { useListKeys } from '@/ui/list/useListKeys';
import { useSelection } from '@/ui/list/useSelection';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { AttentionActions } from '../item/AttentionActions';
import { CommentsDialog } from '../item/CommentsDialog';
import { type LastUpdate, UpdatedNotice } from '../item/UpdatedNotice';
import { AttentionRows } from './AttentionRows';
import { attentionFilterFields } from './attention-filters';
import { isPerson, readAttentionSearch, toAttentionQuery } from './attention-search';

const route = getRouteApi('/signed-in/attention');
const SKELETON_ROWS = 8;

/** What needs attention, the most urgent first. */
export function AttentionPage() {
  useDeviceEvents([]);
  const list = useRef<HTMLDivElement>(null);
  const searchField = useRef<HTMLInputElement>(null);
  useListKeys(list, searchField);
  const search = readAttentionSearch(route.useSearch());
  const link = useLink();
  const navigate = route.useNavigate();
  const [hasCsps, mayEdit] = [useCan('csps.view'), useCan('attention.edit')];
  const people = useQuery({ ...peopleWithItemsQuery, enabled: isPerson(search.assignee) }).data;
  const fields = attentionFilterFields(hasCsps, people);
  const own = useQuery(attentionCountQuery).data?.assigned ?? 0;
  const isOwn = search.assignee === 'me';
  usePageTitle(t.attention.title, filterTexts(fields, search));
  const query = useInfiniteQuery(attentionQuery(toAttentionQuery(search)));
  const items = query.data?.pages.flatMap((page) => page.items);
  const chosen = useSelection();
  const [commented, setCommented] = useState<readonly AttentionItem[]>([]);
  const [updated, setUpdated] = useState<LastUpdate>();
  const isFiltered = Object.values(search).some(Boolean);
  // Items that have closed or left the list meanwhile cannot be acted on.
  const selected = items?.filter(({ id }) => chosen.has(id)) ?? [];
  return (
    <Stack gap="md">
      <Group justify="space-between" align="start">
        <div>
          <Title order={1} size={26}>
            {t.attention.title}
          </Title>
          <Text size="sm" c="dimmed">
            {t.attention.lead}
          </Text>
        </div>
        <Group gap="sm">
          <Button
            variant={isOwn ? 'filled' : 'default'}
            aria-pressed={isOwn}
            onClick={() => void navigate({ search: { ...search, assignee: isOwn ? undefined : 'me' } })}
          >
            {t.attention.mine(own)}
          </Button>
          <Button variant="default" component={Link} to="/attention/settings">
            {t.attention.settings}
          </Button>
        </Group>
      </Group>
      <FilterBar
        link={link}
        fields={fields}
        filters={search}
        onChange={(filters, replace = false) =>
          void navigate({ search: readAttentionSearch({ ...search, ...filters }), replace })
        }
        search={{
          name: 'search',
          label: t.attention.search,
          placeholder: t.devices.searchHint,
          hint: t.devices.searchTitle,
        }}
        dialogTitle={t.attention.filterTitle}
        hint={t.attention.filterHint}
        searchField={searchField}
      />
      {updated && <UpdatedNotice last={updated} onDone={() => setUpdated(undefined)} />}
      <Panel ref={list}>
        {items && items.length > 0 ? (
          <>
            {mayEdit && (
              <AttentionActions items={selected} chosen={chosen} onComment={setCommented} onUpdated={setUpdated} />
            )}
            <AttentionRows
              items={items}
              chosen={mayEdit ? chosen : undefined}
              onComments={(item) => setCommented([item])}
            />
          </>
        ) : items ? (
          <EmptyNotice title={t.list.empty} text={isFiltered ? t.attention.noMatch : t.attention.noRows} />
        ) : query.isError ? (
          <ErrorNotice
            title={t.attention.failed}
            reason={messageOf(query.error)}
            onRetry={() => void query.refetch()}
          />
        ) : (
          <ListSkeleton rows={SKELETON_ROWS} />
        )}
        <OlderButton query={query} label={t.attention.more} failed={t.attention.olderFailed} />
      </Panel>
      <CommentsDialog items={commented} mayEdit={mayEdit} onClose={() => setCommented([])} />
    </Stack>
  );
}
