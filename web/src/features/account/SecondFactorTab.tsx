import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '@/api/errors';
import { secondFactorQuery } from '@/api/second-factor';
import { t } from '@/i18n/en';
import { dateTime } from '@/lib/time';
import { Button, Group, Stack, Text } from '@/ui/kit';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { ErrorNotice } from '@/ui/Notice';
import { FactorProofDialog } from './FactorProofDialog';
import { RecoveryCodes } from './RecoveryCodes';
import { TotpSetup } from './TotpSetup';

/** The user's second factor: set-up, recovery codes, removal. */
export function SecondFactorTab() {
  const client = useQueryClient();
  const query = useQuery(secondFactorQuery);
  const [isSettingUp, setSettingUp] = useState(false);
  const [proof, setProof] = useState<'renew' | 'turnOff'>();
  const [codes, setCodes] = useState<string[]>();
  const refresh = () => client.invalidateQueries({ queryKey: secondFactorQuery.queryKey });

  if (codes) return <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />;
  if (query.data) {
    const { totpAddedAt, recoveryCodes } = query.data;
    return (
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed" maw={600}>
          {t.secondFactor.lead}
        </Text>
        {totpAddedAt === null && !isSettingUp && (
          <>
            <Text>{t.secondFactor.off}</Text>
            <Button onClick={() => setSettingUp(true)}>{t.secondFactor.setUp}</Button>
          </>
        )}
        {totpAddedAt === null && isSettingUp && (
          <TotpSetup
            onDone={(codes) => {
              setSettingUp(false);
              setCodes(codes);
              void refresh();
            }}
            onCancel={() => setSettingUp(false)}
          />
        )}
        {totpAddedAt !== null && (
          <>
            <div>
              <Text>{t.secondFactor.on(dateTime(new Date(totpAddedAt)))}</Text>
              <Text>{t.secondFactor.codesLeft(recoveryCodes)}</Text>
            </div>
            <Group>
              <Button variant="default" onClick={() => setProof('renew')}>
                {t.secondFactor.renew}
              </Button>
              <Button variant="default" onClick={() => setProof('turnOff')}>
                {t.secondFactor.turnOff}
              </Button>
            </Group>
          </>
        )}
        {proof && (
          <FactorProofDialog
            purpose={proof}
            onDone={(codes) => {
              setProof(undefined);
              setCodes(codes);
              void refresh();
            }}
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
