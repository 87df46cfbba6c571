import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { isStatus, messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import type { User } from '@/api/schema.gen';
import { sessionQuery } from '@/api/session';
import { userQuery } from '@/api/user-form';
import { FRESH } from '@/form/fresh';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Button, Stack } from '@/ui/kit';
import { EmptyNotice, ErrorNotice, InfoNotice } from '@/ui/notices/Notice';
import { UserForm } from '../form/UserForm';
import { UserFormSkeleton } from '../form/UserFormSkeleton';
import { useUserFormChoices } from '../form/useUserFormChoices';
import { ToUsers } from '../ToUsers';
import { UserHeader } from './UserHeader';

const route = getRouteApi('/signed-in/users/$id');

export function EditUserPage() {
  const { id } = route.useParams();
  const query = useQuery({ ...userQuery(id), ...FRESH });
  const formChoices = useUserFormChoices();
  const navigate = useNavigate();
  usePageTitle(t.userForm.editTitle, query.data ? [query.data.email] : []);
  useDeviceEvents([]);
  const goBack = () => navigate({ to: '/users', ignoreBlocker: true });

  // A failed reread keeps the user on the page, except for a 404.
  if (query.error && (!query.data || isStatus(query.error, 404))) {
    return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md">
      <UserHeader user={query.data} onRemoved={goBack} />
      {query.data && query.isFetchedAfterMount && formChoices ? (
        <UserForm
          key={id}
          user={query.data}
          formChoices={formChoices}
          notice={query.data.can.edit ? undefined : <WhyDisabled user={query.data} />}
          cancel={<ToUsers>{t.common.cancel}</ToUsers>}
          onSaved={() => void goBack()}
        />
      ) : (
        <UserFormSkeleton />
      )}
    </Stack>
  );
}

/** The reason why the user cannot be edited. The server decides; this only chooses the text. */
function WhyDisabled({ user }: { user: User }) {
  const isOwn = useQuery(sessionQuery).data?.user.id === user.id;
  if (!isOwn) return <InfoNotice text={t.userForm.readOnly} />;
  return (
    <InfoNotice
      text={t.userForm.ownRecord}
      action={
        <Button size="compact-sm" variant="subtle" renderRoot={(props) => <Link to="/account" {...props} />}>
          {t.userForm.toAccount}
        </Button>
      }
    />
  );
}

function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (isStatus(error, 404)) {
    return (
      <EmptyNotice
        page
        title={t.userForm.loadFailed}
        text={t.userForm.notFound}
        action={<ToUsers>{t.userForm.toUsers}</ToUsers>}
      />
    );
  }
  return <ErrorNotice page title={t.userForm.loadFailed} reason={messageOf(error)} onRetry={onRetry} />;
}
