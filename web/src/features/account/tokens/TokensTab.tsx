import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { accountTokensQuery, deleteAccountToken } from '@/api/account';
import { messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { Stack, Text } from '@/ui/kit';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { ErrorNotice } from '@/ui/notices/Notice';
import { NewToken } from './NewToken';
import { TokenForm } from './TokenForm';
import { TokenList } from './TokenList';

/** The user's access tokens for programs, which can be created and revoked. */
export function TokensTab() {
  const client = useQueryClient();
  const query = useQuery(accountTokensQuery);
  const [created, setCreated] = useState<string>();
  const refresh = () => client.invalidateQueries({ queryKey: accountTokensQuery.queryKey });
  const revoke = useMutation({
    mutationFn: deleteAccountToken,
    onSuccess: () => alertSuccess(t.account.revoked),
    onError: (error) => alertFailure(t.account.revokeFailed(messageOf(error)), t.account.revoked),
    // Also after a failure, because the token may have ended by itself.
    onSettled: refresh,
  });

  if (query.data) {
    return (
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.account.tokensLead}
        </Text>
        {query.data.length === 0 ? (
          <Text size="sm">{t.account.noTokens}</Text>
        ) : (
          <TokenList
            tokens={query.data}
            revoking={revoke.isPending ? revoke.variables : undefined}
            onRevoke={revoke.mutate}
          />
        )}
        {created && <NewToken token={created} onKept={() => setCreated(undefined)} />}
        <TokenForm
          onCreated={(token) => {
            setCreated(token);
            void refresh();
          }}
        />
      </Stack>
    );
  }
  if (query.isError) {
    return (
      <ErrorNotice
        title={t.account.tokensFailed}
        reason={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <ListSkeleton rows={2} />;
}
