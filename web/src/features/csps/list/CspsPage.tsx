import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { cspsQuery, reportCsps } from '@/api/csps';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import { wholeList } from '@/domain/list';
import { queryProps, useListView } from '@/form/list/useListView';
import { t } from '@/i18n/en';
import { TextFilterInput } from '@/ui/list/FilterInputs';
import type { FilterField } from '@/ui/list/filter-field';
import { ListPage } from '@/ui/list/ListPage';
import { AddCspLink } from './AddCspLink';
import { cspCard, cspColumns } from './csp-columns';
import { cspsList, toCspListQuery } from './csps-search';

const route = getRouteApi('/signed-in/csps');
const SORTS = [{ value: 'name', label: t.csps.columns.name }];
const FILTERS: FilterField[] = [{ name: 'name', label: t.csps.columns.name, Input: TextFilterInput }];

export function CspsPage() {
  useDeviceEvents([]);
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { view, filters, change, listProps } = useListView({
    list: cspsList,
    search,
    onSearch: (search, replace) => void navigate({ search, replace }),
  });
  const canEdit = useCan('csps.edit');
  const query = useQuery(cspsQuery(toCspListQuery(view)));

  return (
    <ListPage
      {...listProps}
      {...queryProps(query)}
      texts={t.csps}
      report={{
        list: 'csps',
        reasonOf: messageOf,
        generate: (options, signal) => reportCsps({ ...wholeList(toCspListQuery(view)), ...options }, signal),
      }}
      actions={canEdit && <AddCspLink search={search} />}
      filterBar={{
        fields: FILTERS,
        filters,
        onChange: change,
        search: { name: 'name', label: t.csps.nameFilter },
      }}
      sorts={SORTS}
      page={query.data && { ...query.data, rows: query.data.csps, source: 'index' }}
      rowKey={(csp) => csp.id}
      columns={cspColumns({ search, canEdit })}
      card={(csp) => cspCard(csp, search)}
    />
  );
}
