import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import { reportUsers, usersQuery } from '@/api/users';
import { wholeList } from '@/domain/list';
import { queryProps, useListView } from '@/form/list/useListView';
import { t } from '@/i18n/en';
import { ListPage } from '@/ui/list/ListPage';
import { InviteUserLink } from './InviteUserLink';
import { userCard, userColumns } from './user-columns';
import { ConfirmedFilter, userFilterFields } from './user-filters';
import { toUserListQuery, usersList } from './users-search';

const route = getRouteApi('/signed-in/users');

export function UsersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { view, filters, change, listProps } = useListView({
    list: usersList,
    search,
    onSearch: (search, replace) => void navigate({ search, replace }),
  });
  const seesCsp = useCan('csps.view');
  const canInvite = useCan('users.invite');
  const query = useQuery(usersQuery(toUserListQuery(view)));
  // No devices are followed, but the stream reports the end of the session and changed permissions.
  useDeviceEvents([]);
  const sorts = usersList.sorts.filter((sort) => sort !== 'csp' || seesCsp);

  return (
    <ListPage
      {...listProps}
      {...queryProps(query)}
      texts={t.users}
      report={{
        list: 'users',
        reasonOf: messageOf,
        generate: (options, signal) => reportUsers({ ...wholeList(toUserListQuery(view)), ...options }, signal),
      }}
      actions={canInvite && <InviteUserLink search={search} />}
      filterBar={{
        fields: userFilterFields({ seesCsp, roles: query.data?.roles ?? [] }),
        filters,
        onChange: change,
        search: { name: 'email', label: t.users.emailFilter },
        atHand: <ConfirmedFilter value={search.confirmed} onChange={(confirmed) => change({ confirmed })} />,
      }}
      sorts={sorts.map((value) => ({ value, label: t.users.columns[value] }))}
      page={query.data && { ...query.data, rows: query.data.users }}
      rowKey={(user) => user.id}
      columns={userColumns({ search, seesCsp })}
      card={(user) => userCard(user, search)}
    />
  );
}
