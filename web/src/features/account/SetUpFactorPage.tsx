import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { readSession, sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import { takeReturnUrl } from '@/lib/return-url';
import { Stack, Text, Title } from '@/ui/kit';
import { Landing } from '@/ui/Landing';
import { usePageTitle } from '@/ui/usePageTitle';
import { RecoveryCodes } from './RecoveryCodes';
import { TotpSetup } from './TotpSetup';

/** For users whose role needs a second factor that they have not set up. The server refuses everything else to them. */
export function SetUpFactorPage() {
  usePageTitle(t.secondFactor.required.title);
  const router = useRouter();
  const client = useQueryClient();
  const [codes, setCodes] = useState<string[]>();
  const goOn = async () => {
    client.setQueryData(sessionQuery.queryKey, await readSession());
    router.history.push(takeReturnUrl() ?? '/');
  };
  return (
    <Landing>
      <Stack mt="xl" maw={420}>
        <Title order={1} size={24}>
          {t.secondFactor.required.title}
        </Title>
        {codes ? (
          <RecoveryCodes codes={codes} onKept={() => void goOn()} />
        ) : (
          <>
            <Text size="sm">{t.secondFactor.required.lead}</Text>
            <TotpSetup onDone={setCodes} />
          </>
        )}
        <Link to="/signout">{t.account.signOut}</Link>
      </Stack>
    </Landing>
  );
}
