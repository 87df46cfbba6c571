import type { User } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { t } from '@/i18n/en';
import { SecondLine, TwoLines } from '@/ui/list/cells';
import type { Column } from '@/ui/list/DataTable';
import { RowCard } from '@/ui/list/RowCards';
import { lastSignIn, twoStep } from '../user-words';
import { ResendButton } from './ResendButton';
import { UserLink } from './UserLink';
import type { UserSort, UsersSearch } from './users-search';

interface Options {
  search: UsersSearch;
  seesCsp: boolean;
}

/** The specified columns in order. First and last name share a column, and so do company and business role. */
export function userColumns({ search, seesCsp }: Options): Column<User>[] {
  const csp: Column<User> = { labels: [header('csp')], cell: (user) => <TwoLines first={user.csp} /> };
  return [
    {
      labels: [header('firstname'), header('lastname')],
      cell: (user) => (
        <>
          <UserLink user={user} search={search} />
          {user.disabled && <SecondLine text={t.users.disabled} />}
        </>
      ),
    },
    { labels: [header('email')], grow: true, cell: (user) => user.email },
    {
      labels: [header('company'), header('businessrole')],
      cell: (user) => <TwoLines first={user.company} second={user.businessRole} />,
    },
    { labels: [header('phone')], cell: (user) => <TwoLines first={user.phone} /> },
    ...(seesCsp ? [csp] : []),
    { labels: [header('role')], cell: (user) => user.roleName ?? t.users.noRole },
    {
      labels: [header('lastsignin'), { label: t.users.columns.twostep }],
      cell: (user) => (
        <TwoLines
          first={user.lastSignInAt === null ? t.users.never : dateTime(new Date(user.lastSignInAt))}
          second={user.twoStep ? t.users.on : t.users.off}
        />
      ),
      leaves: 'first',
    },
    { labels: [{ label: t.users.columns.confirmed }], cell: (user) => <Confirmed user={user} /> },
  ];
}

/** The user's name, and whether they can sign in yet. */
export function userCard(user: User, search: UsersSearch) {
  return (
    <RowCard
      link={<UserLink user={user} search={search} />}
      text={
        <>
          <span>{user.email}</span>
          <SecondLine text={`${lastSignIn(user)} · ${twoStep(user)}`} />
        </>
      }
      state={
        <>
          <span>{user.roleName ?? t.users.noRole}</span>
          {user.disabled && <span>{t.users.disabled}</span>}
          {!user.confirmed && (user.can.resend ? <ResendButton user={user} /> : <span>{t.users.notConfirmed}</span>)}
        </>
      }
    />
  );
}

function header(sort: UserSort) {
  return { label: t.users.columns[sort], sort };
}

function Confirmed({ user }: { user: User }) {
  if (user.confirmed) return t.users.yes;
  return user.can.resend ? <ResendButton user={user} /> : t.users.no;
}
