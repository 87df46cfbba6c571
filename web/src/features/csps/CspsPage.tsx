import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { cspsQuery, reportCsps } from '@/api/csps';
import { messageOf } from '@/api/errors';
import { useListPreferences } from '@/api/list-preferences';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { wholeList } from '@/lib/list';
import { TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField } from '@/ui/list/filter-field';
import { ListPage } from '@/ui/list/ListPage';
import { usePageTitle } from '@/ui/usePageTitle';
import { AddCspLink } from './AddCspLink';
import { cspCard, cspColumns } from './csp-columns';
import { cspsList, toCspListQuery } from './csps-search';

const route = getRouteApi('/signed-in/csps');
const SORTS = [{ value: 'name', label: t.csps.columns.name }];
const FILTERS: FilterField[] = [{ name: 'name', label: t.csps.columns.name, Input: TextFilterInput }];

export function CspsPage() {
  usePageTitle(t.csps.title);
  useDeviceEvents([]);
  const preferences = useListPreferences('csps');
  const search = route.useSearch();
  const view = cspsList.shown(search, preferences.pageSize);
  const navigate = route.useNavigate();
  const canEdit = useCan('csps.edit');
  const query = useQuery(cspsQuery(toCspListQuery(view)));
  /** Every change except paging returns to the first page. */
  const change = (part: object, replace = false) =>
    void navigate({ search: cspsList.read({ ...search, page: 1, ...part }), replace });

  return (
    <ListPage
      texts={t.csps}
      report={{
        list: 'csps',
        generate: ({ type }, signal) => reportCsps({ ...wholeList(toCspListQuery(view)), type }, signal),
      }}
      actions={canEdit && <AddCspLink search={search} />}
      filterBar={{
        fields: FILTERS,
        filters: cspsList.filters(search),
        onChange: change,
        search: { name: 'name', label: t.csps.nameFilter },
      }}
      defaults={cspsList.defaults}
      view={view}
      onView={(part) => {
        if (part.page_size) preferences.rememberPageSize(part.page_size);
        change(cspsList.chosen(part));
      }}
      density={preferences.density}
      onDensity={preferences.rememberDensity}
      sorts={SORTS}
      page={query.data && { ...query.data, rows: query.data.csps, source: 'index' }}
      rowKey={(csp) => csp.id}
      columns={cspColumns({ search, canEdit })}
      card={(csp) => cspCard(csp, search)}
      busy={query.isPlaceholderData}
      error={query.isError ? messageOf(query.error) : undefined}
      isLimited={false}
      onReset={() => change(cspsList.read({}))}
      onRetry={() => void query.refetch()}
    />
  );
}
