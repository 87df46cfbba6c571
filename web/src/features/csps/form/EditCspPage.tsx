import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { cspQuery } from '@/api/csps';
import { isStatus } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import formClasses from '@/form/Form.module.css';
import { FRESH } from '@/form/fresh';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Group, Skeleton, Stack, Title } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import { useBackToCsps } from './BackToCsps';
import { CspFailure } from './CspFailure';
import { CspForm } from './CspForm';
import { RemoveCspButton } from './RemoveCspButton';

const route = getRouteApi('/signed-in/csps/$id');

export function EditCspPage() {
  const { id } = route.useParams();
  const query = useQuery({ ...cspQuery(id), ...FRESH });
  const goBack = useBackToCsps();
  const csp = query.data;
  const title = csp ? t.csps.editTitle(csp.name) : t.csps.one;
  usePageTitle(title);
  useDeviceEvents([]);

  // A failed reread keeps the CSP on the page, except for a 404.
  if (query.error && (!csp || isStatus(query.error, 404))) {
    return <CspFailure error={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size={26}>
          {title}
        </Title>
        {csp?.isFree && csp.can.edit && <RemoveCspButton csp={csp} onRemoved={goBack} />}
      </Group>
      {csp && query.isFetchedAfterMount ? (
        <CspForm key={id} csp={csp} onSaved={goBack} />
      ) : (
        <Loading className={formClasses.form}>
          <Skeleton height={170} radius="md" />
        </Loading>
      )}
    </Stack>
  );
}
