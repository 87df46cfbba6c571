import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { attentionSettingsQuery } from '@/api/attention';
import { allCspsQuery } from '@/api/csps';
import { messageOf } from '@/api/errors';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import formClasses from '@/form/Form.module.css';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Select, Skeleton, Stack, Text, Title } from '@/ui/kit';
import { Loading } from '@/ui/notices/Loading';
import { ErrorNotice } from '@/ui/notices/Notice';
import { AttentionSettingsForm } from './AttentionSettingsForm';

const route = getRouteApi('/signed-in/attention/settings');
/** The choice of the devices without a CSP, which no CSP can be named. */
const NO_CSP = '';

/** The thresholds of a CSP. */
export function AttentionSettingsPage() {
  useDeviceEvents([]);
  const { csp } = route.useSearch();
  usePageTitle(t.attention.settingsTitle, csp ? [csp] : []);
  const navigate = route.useNavigate();
  const hasCsps = useCan('csps.view');
  const csps = useQuery({ ...allCspsQuery, enabled: hasCsps });
  const query = useQuery(attentionSettingsQuery(csp));
  const names = csps.data?.map(({ name }) => ({ value: name, label: name })) ?? [];
  return (
    <Stack gap="md">
      <div>
        <Title order={1} size={26}>
          {t.attention.settingsTitle}
        </Title>
        <Text size="sm" c="dimmed">
          {t.attention.settingsLead}
        </Text>
      </div>
      {hasCsps && (
        <div className={formClasses.form}>
          <Select
            label={t.attention.forCsp}
            data={[{ value: NO_CSP, label: t.attention.withoutCsp }, ...names]}
            value={csp ?? NO_CSP}
            onChange={(chosen) => void navigate({ search: { csp: chosen || undefined } })}
            error={csps.isError && t.csps.failed}
            allowDeselect={false}
            searchable
          />
        </div>
      )}
      {query.data ? (
        <AttentionSettingsForm key={csp} csp={csp} view={query.data} />
      ) : query.isError ? (
        <ErrorNotice
          title={t.attention.settingsFailed}
          reason={messageOf(query.error)}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <Loading className={formClasses.form}>
          <Skeleton height={400} radius="md" />
        </Loading>
      )}
    </Stack>
  );
}
