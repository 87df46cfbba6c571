import { getRouteApi, Link } from '@tanstack/react-router';
import { useDeviceEvents } from '@/api/live/live';
import { t } from '@/i18n/en';
import { Button, Group, Stack, Title } from '@/ui/kit';
import { TabbedCard } from '@/ui/TabbedCard';
import { usePageTitle } from '@/ui/usePageTitle';
import { type AccountTab, readAccountSearch, TABS } from './account-search';
import { PasswordTab } from './PasswordTab';
import { PersonalTab } from './PersonalTab';
import { SecondFactorTab } from './SecondFactorTab';
import { SessionsTab } from './SessionsTab';
import { TimeFormatTab } from './TimeFormatTab';
import { TokensTab } from './TokensTab';

const route = getRouteApi('/signed-in/account');

const CONTENT: Record<AccountTab, { label: string; Content: () => React.ReactNode }> = {
  personal: { label: t.account.tabs.personal, Content: PersonalTab },
  password: { label: t.account.tabs.password, Content: PasswordTab },
  'time-format': { label: t.account.tabs.timeFormat, Content: TimeFormatTab },
  sessions: { label: t.account.tabs.sessions, Content: SessionsTab },
  'second-factor': { label: t.secondFactor.tab, Content: SecondFactorTab },
  tokens: { label: t.account.tabs.tokens, Content: TokensTab },
};

/** The user's own account. */
export function AccountPage() {
  usePageTitle(t.account.title);
  useDeviceEvents([]);
  const { tab = TABS[0] } = route.useSearch();
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
        tabs={TABS.map((value) => ({ value, label: CONTENT[value].label }))}
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
