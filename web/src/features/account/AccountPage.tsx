import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeviceEvents } from '@/api/live/live';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Button, Group, Skeleton, Stack, Title } from '@/ui/kit';
import { TabbedCard } from '@/ui/layout/TabbedCard';
import { lazyPart } from '@/ui/notices/lazy-part';
import { type AccountTab, readAccountSearch, TABS } from './account-search';
import { CsvTab } from './preferences/CsvTab';
import { TimeFormatTab } from './preferences/TimeFormatTab';
import { PersonalTab } from './profile/PersonalTab';
import { PasswordTab } from './sign-in/PasswordTab';
import { SessionsTab } from './sign-in/SessionsTab';

const route = getRouteApi('/signed-in/account');
const SHAPE = <Skeleton height="10rem" />;
const DigestTab = lazyPart(async () => (await import('./preferences/DigestTab')).DigestTab, SHAPE);
const SecondFactorTab = lazyPart(async () => (await import('./second-factor/SecondFactorTab')).SecondFactorTab, SHAPE);
const TokensTab = lazyPart(async () => (await import('./tokens/TokensTab')).TokensTab, SHAPE);

const CONTENT: Record<AccountTab, { label: string; Content: React.ComponentType }> = {
  personal: { label: t.account.tabs.personal, Content: PersonalTab },
  password: { label: t.account.tabs.password, Content: PasswordTab },
  'time-format': { label: t.account.tabs.timeFormat, Content: TimeFormatTab },
  csv: { label: t.account.tabs.csv, Content: CsvTab },
  sessions: { label: t.account.tabs.sessions, Content: SessionsTab },
  'second-factor': { label: t.secondFactor.tab, Content: SecondFactorTab },
  tokens: { label: t.account.tabs.tokens, Content: TokensTab },
  digest: { label: t.attentionDigest.tab, Content: DigestTab },
};

/** The user's own account. */
export function AccountPage() {
  useDeviceEvents([]);
  const { tab = TABS[0] } = route.useSearch();
  usePageTitle(t.account.title, [CONTENT[tab].label]);
  const seesAttention = useCan('attention.view');
  const navigate = route.useNavigate();
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size={26}>
          {t.account.title}
        </Title>
        <Button variant="default" renderRoot={(props) => <Link to="/signout" {...props} />}>
          {t.account.signOut}
        </Button>
      </Group>
      <TabbedCard
        label={t.account.title}
        tabs={TABS.filter((tab) => tab !== 'digest' || seesAttention).map((value) => ({
          value,
          label: CONTENT[value].label,
        }))}
        value={tab}
        onChange={(tab) => void navigate({ search: readAccountSearch({ tab }), replace: true })}
        content={(tab) => {
          const { Content } = CONTENT[tab];
          return <Content />;
        }}
      />
    </Stack>
  );
}
