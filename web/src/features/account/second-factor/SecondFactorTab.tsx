import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import type { NewTotp, Passkey, PasskeyCreation } from '@/api/schema.gen';
import { secondFactorQuery } from '@/api/second-factor';
import { canUsePasskeysOf } from '@/browser/passkeys';
import { dateTime } from '@/browser/time';
import { t } from '@/i18n/en';
import { Button, Group, Stack, Text } from '@/ui/kit';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { ErrorNotice } from '@/ui/notices/Notice';
import {
  appAddition,
  FactorProofDialog,
  type ProofPurpose,
  passkeyAddition,
  REMOVE_APP,
  RENEW,
  removalOf,
  TURN_OFF,
} from './FactorProofDialog';
import { PasskeyList } from './PasskeyList';
import { PasskeyNameDialog } from './PasskeyNameDialog';
import { PasskeySetup } from './PasskeySetup';
import { RecoveryCodes } from './RecoveryCodes';
import { TotpSetup } from './TotpSetup';

type Setup = { kind: 'app'; begun?: NewTotp } | { kind: 'passkey'; begun?: PasskeyCreation['options'] };

/** The user's second factor: set-up, passkeys, recovery codes, removal. */
export function SecondFactorTab() {
  const client = useQueryClient();
  const query = useQuery(secondFactorQuery);
  const [setup, setSetup] = useState<Setup>();
  const [proof, setProof] = useState<ProofPurpose>();
  const [renaming, setRenaming] = useState<Passkey>();
  const [codes, setCodes] = useState<string[]>();
  const refresh = () => client.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
  const finish = (codes: string[] | undefined) => {
    setSetup(undefined);
    setProof(undefined);
    setCodes(codes?.length ? codes : undefined);
    void refresh();
  };
  const proved = () => {
    setProof(undefined);
    void refresh();
  };

  if (codes) return <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />;
  if (query.data) {
    const { totpAddedAt, passkeys, passkeyDomain, recoveryCodes } = query.data;
    const isOn = totpAddedAt !== null || passkeys.length > 0;
    const addApp = () =>
      isOn ? setProof(appAddition((begun) => setSetup({ kind: 'app', begun }))) : setSetup({ kind: 'app' });
    const addKey = () =>
      isOn ? setProof(passkeyAddition((begun) => setSetup({ kind: 'passkey', begun }))) : setSetup({ kind: 'passkey' });
    return (
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed" maw={600}>
          {t.secondFactor.lead}
        </Text>
        {isOn ? (
          <div>
            <Text>{totpAddedAt ? t.secondFactor.on(dateTime(new Date(totpAddedAt))) : t.secondFactor.onByPasskey}</Text>
            <Text>{t.secondFactor.codesLeft(recoveryCodes)}</Text>
          </div>
        ) : (
          setup === undefined && <Text>{t.secondFactor.off}</Text>
        )}
        {passkeys.length > 0 && (
          <PasskeyList passkeys={passkeys} onRename={setRenaming} onRemove={(one) => setProof(removalOf(one))} />
        )}
        {setup?.kind === 'app' && (
          <TotpSetup begun={setup.begun} onDone={finish} onCancel={() => setSetup(undefined)} />
        )}
        {setup?.kind === 'passkey' && (
          <PasskeySetup begun={setup.begun} onDone={finish} onCancel={() => setSetup(undefined)} />
        )}
        {setup === undefined && (
          <Group>
            {totpAddedAt === null && (
              <Button variant={isOn ? 'default' : 'filled'} onClick={addApp}>
                {t.secondFactor.setUp}
              </Button>
            )}
            {canUsePasskeysOf(passkeyDomain) && (
              <Button variant={isOn ? 'default' : 'filled'} onClick={addKey}>
                {t.passkeys.add}
              </Button>
            )}
            {isOn && (
              <Button variant="default" onClick={() => setProof(RENEW)}>
                {t.secondFactor.renew}
              </Button>
            )}
            {totpAddedAt !== null && (
              <Button variant="default" onClick={() => setProof(passkeys.length > 0 ? REMOVE_APP : TURN_OFF)}>
                {passkeys.length > 0 ? t.secondFactor.removeApp : t.secondFactor.turnOff}
              </Button>
            )}
          </Group>
        )}
        {renaming && (
          <PasskeyNameDialog
            passkey={renaming}
            onRenamed={() => void refresh()}
            onClose={() => setRenaming(undefined)}
          />
        )}
        {proof && (
          <FactorProofDialog
            purpose={proof}
            hasPasskey={passkeys.length > 0 && canUsePasskeysOf(passkeyDomain)}
            onDone={(codes) => (codes ? finish(codes) : proved())}
            onClose={() => setProof(undefined)}
          />
        )}
      </Stack>
    );
  }
  if (query.isError) {
    return (
      <ErrorNotice title={t.secondFactor.failed} reason={messageOf(query.error)} onRetry={() => void query.refetch()} />
    );
  }
  return <ListSkeleton rows={2} />;
}
