import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { accountSessionsQuery, deleteAccountSession, deleteOtherAccountSessions } from '@/api/account';
import { messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { Button, Stack, Text } from '@/ui/kit';
import { ListSkeleton } from '@/ui/list/ListSkeleton';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { ErrorNotice } from '@/ui/notices/Notice';
import { SessionList } from './SessionList';

/** The user's sessions, which can be ended. */
export function SessionsTab() {
  const client = useQueryClient();
  const query = useQuery(accountSessionsQuery);
  const ending = {
    // Also after a failure, because the session may have ended by itself.
    onSettled: () => client.invalidateQueries({ queryKey: accountSessionsQuery.queryKey }),
  };
  const failed = (success: string) => (error: Error) => alertFailure(t.account.endFailed(messageOf(error)), success);
  const endOne = useMutation({
    mutationFn: deleteAccountSession,
    onSuccess: () => alertSuccess(t.account.ended),
    onError: failed(t.account.ended),
    ...ending,
  });
  const endOthers = useMutation({
    mutationFn: deleteOtherAccountSessions,
    onSuccess: () => alertSuccess(t.account.othersEnded),
    onError: failed(t.account.othersEnded),
    ...ending,
  });

  if (query.data) {
    return (
      <Stack gap="md" align="flex-start">
        <Text size="sm" c="dimmed">
          {t.account.sessionsLead}
        </Text>
        <SessionList
          sessions={query.data}
          ending={endOne.isPending ? endOne.variables : undefined}
          onEnd={endOne.mutate}
        />
        {query.data.length > 1 && (
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t.account.endOthers}
          </Button>
        )}
      </Stack>
    );
  }
  if (query.isError) {
    return (
      <ErrorNotice
        title={t.account.sessionsFailed}
        reason={messageOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return <ListSkeleton rows={2} />;
}
