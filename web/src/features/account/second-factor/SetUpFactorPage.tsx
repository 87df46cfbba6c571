import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { secondFactorQuery } from '@/api/second-factor';
import { readSession, sessionQuery } from '@/api/session';
import { canUsePasskeysOf } from '@/browser/passkeys';
import { takeReturnUrl } from '@/browser/return-url';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Button, Skeleton, Stack, Text, Title } from '@/ui/kit';
import { Landing } from '@/ui/layout/Landing';
import { lazyPart } from '@/ui/notices/lazy-part';
import { RecoveryCodes } from './RecoveryCodes';
import { TotpSetup } from './TotpSetup';

const PasskeySetup = lazyPart(async () => (await import('./PasskeySetup')).PasskeySetup, <Skeleton height="10rem" />);

/** For users whose role needs a second factor that they have not set up. The server refuses everything else to them. */
export function SetUpFactorPage() {
  usePageTitle(t.secondFactor.required.title);
  const router = useRouter();
  const client = useQueryClient();
  // Without an answer, an app can be set up.
  const passkeyDomain = useQuery(secondFactorQuery).data?.passkeyDomain ?? null;
  const [isPasskey, setPasskey] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  const goOn = async () => {
    client.setQueryData(sessionQuery.queryKey, await readSession());
    router.history.push(takeReturnUrl() ?? '/', undefined, { ignoreBlocker: true });
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
            {isPasskey ? (
              <PasskeySetup onDone={setCodes} onCancel={() => setPasskey(false)} cancel={t.passkeys.useAppInstead} />
            ) : (
              <TotpSetup onDone={setCodes} />
            )}
            {!isPasskey && canUsePasskeysOf(passkeyDomain) && (
              <Button variant="default" onClick={() => setPasskey(true)}>
                {t.passkeys.useInstead}
              </Button>
            )}
          </>
        )}
        <Link to="/signout">{t.account.signOut}</Link>
      </Stack>
    </Landing>
  );
}
