import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageOf } from '@/api/errors';
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
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const seesCsp = useCan('csps.view');
  const canInvite = useCan('users.invite');
  const query = useQuery(usersQuery(toUserListQuery(search)));
  // No device is shown here, but the stream tells when the session ends or may do other things.
  useDeviceEvents([]);

  const sorts = usersList.sorts.filter((sort) => sort !== 'csp' || seesCsp);
  /** Anything but another page begins again on the first one. */
  const change = (part: object, replace = false) =>
    void navigate({ search: usersList.read({ ...search, page: 1, ...part }), replace });

  return (
    <ListPage
      texts={t.users}
      report={{
        list: 'users',
        generate: ({ type }, signal) => reportUsers({ ...wholeList(toUserListQuery(search)), type }, signal),
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
      view={search}
      onView={change}
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
