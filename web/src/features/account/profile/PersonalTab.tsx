import { useQuery } from '@tanstack/react-query';
import { profileQuery } from '@/api/account';
import { messageOf } from '@/api/errors';
import { FRESH } from '@/form/fresh';
import { countriesQuery, loadedChoices } from '@/form/loaded-choices';
import { t } from '@/i18n/en';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { ErrorNotice } from '@/ui/notices/Notice';
import { ProfileForm } from './ProfileForm';

/** The user's profile. */
export function PersonalTab() {
  const query = useQuery({ ...profileQuery, ...FRESH });
  const countries = useQuery(countriesQuery);
  if (query.data && query.isFetchedAfterMount && countries.isFetched) {
    return <ProfileForm profile={query.data} countries={loadedChoices(countries, (all) => all)} />;
  }
  if (query.isError) {
    return (
      <ErrorNotice
        title={t.account.profileFailed}
        reason={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <ListSkeleton rows={3} />;
}
