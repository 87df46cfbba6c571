import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageOf } from '@/api/errors';
import { useListPreferences } from '@/api/list-preferences';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import { reportUsers, usersQuery } from '@/api/users';
import { t } from '@/i18n/en';
import { wholeList } from '@/lib/list';
import { ListPage } from '@/ui/list/ListPage';
import { usePageTitle } from '@/ui/usePageTitle';
import { InviteUserLink } from './InviteUserLink';
import { userCard, userColumns } from './user-columns';
import { ConfirmedFilter, userFilterFields } from './user-filters';
import { toUserListQuery, usersList } from './users-search';

const route = getRouteApi('/signed-in/users');

export function UsersPage() {
  usePageTitle(t.users.title);
  const preferences = useListPreferences('users');
  const search = route.useSearch();
  const view = usersList.shown(search, preferences.pageSize);
  const navigate = route.useNavigate();
  const seesCsp = useCan('csps.view');
  const canInvite = useCan('users.invite');
  const query = useQuery(usersQuery(toUserListQuery(view)));
  // No devices are followed, but the stream reports the end of the session and changed permissions.
  useDeviceEvents([]);

  const sorts = usersList.sorts.filter((sort) => sort !== 'csp' || seesCsp);
  /** Every change except paging returns to the first page. */
  const change = (part: object, replace = false) =>
    void navigate({ search: usersList.read({ ...search, page: 1, ...part }), replace });

  return (
    <ListPage
      texts={t.users}
      report={{
        list: 'users',
        generate: ({ type }, signal) => reportUsers({ ...wholeList(toUserListQuery(view)), type }, signal),
      }}
      actions={canInvite && <InviteUserLink search={search} />}
      filterBar={{
        fields: userFilterFields({ seesCsp, roles: query.data?.roles ?? [] }),
        filters: usersList.filters(search),
        onChange: change,
        search: { name: 'email', label: t.users.emailFilter },
        atHand: <ConfirmedFilter value={search.confirmed} onChange={(confirmed) => change({ confirmed })} />,
      }}
      defaults={usersList.defaults}
      view={view}
      onView={(part) => {
        if (part.page_size) preferences.rememberPageSize(part.page_size);
        change(usersList.chosen(part));
      }}
      density={preferences.density}
      onDensity={preferences.rememberDensity}
      sorts={sorts.map((value) => ({ value, label: t.users.columns[value] }))}
      page={query.data && { ...query.data, rows: query.data.users }}
      rowKey={(user) => user.id}
      columns={userColumns({ search, seesCsp })}
      card={(user) => userCard(user, search)}
      busy={query.isPlaceholderData}
      error={query.isError ? messageOf(query.error) : undefined}
      isLimited={false}
      onReset={() => change(usersList.read({}))}
      onRetry={() => void query.refetch()}
    />
  );
}
