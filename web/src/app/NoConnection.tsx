import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import { ErrorNotice } from '@/ui/notices/Notice';

const RETRY_MS = 5_000;

/** Replaces a page that could not be opened without a connection. `onBack` is called when the server answers again. */
export function NoConnection({ onBack }: { onBack: () => void }) {
  const session = useQuery({
    ...sessionQuery,
    retry: false,
    refetchInterval: RETRY_MS,
    refetchOnReconnect: 'always',
  });
  const isBack = session.isSuccess && session.isFetchedAfterMount;
  useEffect(() => {
    if (isBack) onBack();
  }, [isBack, onBack]);
  return (
    <ErrorNotice
      page
      title={t.noConnection.title}
      reason={t.noConnection.hint}
      onRetry={() => void session.refetch()}
    />
  );
}
