import { type ErrorComponentProps, Link, Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isStatus, isUnreachable, messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { usePreviousPage } from '@/ui/hooks/previousPage';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Button, Group } from '@/ui/kit';
import { Landing } from '@/ui/layout/Landing';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { NoConnection } from './NoConnection';
import { watchUncaughtErrors } from './uncaught';

/** The page, or the error page after an error outside rendering. */
export function Root() {
  const router = useRouter();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    const listening = new AbortController();
    watchUncaughtErrors(setError, listening.signal);
    // Another page, or another attempt at this one.
    const unsubscribe = router.subscribe('onBeforeLoad', () => setError(undefined));
    return () => {
      listening.abort();
      unsubscribe();
    };
  }, [router]);
  return error ? <StandaloneError error={error} reset={() => setError(undefined)} /> : <Outlet />;
}

export function NotFoundPage() {
  usePageTitle(t.errors.notFoundPage);
  return (
    <Landing>
      <EmptyNotice page title={t.errors.notFoundPage} text={t.errors.notFoundPageHint} action={<ToDevices />} />
    </Landing>
  );
}

function ToDevices() {
  return <Button renderRoot={(props) => <Link to="/" {...props} />}>{t.errors.toDevices}</Button>;
}

/** Reloads, which also applies a new release. */
const reload = () => window.location.reload();

/** An error page inside the layout. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (isUnreachable(error)) return <NoConnection onBack={reload} />;
  if (isStatus(error, 403)) return <RefusedPage />;
  return (
    <ErrorNotice
      page
      title={t.errors.unexpected}
      reason={messageOf(error)}
      onRetry={() => {
        reset();
        void router.invalidate();
      }}
      action={<ToDevices />}
    />
  );
}

/** In place of a page that the role of the user does not include. */
function RefusedPage() {
  const router = useRouter();
  const hasPageBefore = usePreviousPage() !== undefined;
  usePageTitle(t.errors.refusedPage);
  return (
    <EmptyNotice
      page
      title={t.errors.refused}
      text={t.errors.refusedHint}
      action={
        <Group gap="sm">
          {hasPageBefore && (
            <Button variant="default" onClick={() => router.history.back()}>
              {t.common.back}
            </Button>
          )}
          <ToDevices />
        </Group>
      }
    />
  );
}

/** An error page without the layout. */
export function StandaloneError(props: ErrorComponentProps) {
  usePageTitle(isUnreachable(props.error) ? t.noConnection.title : t.errors.unexpected);
  return (
    <Landing>
      <PageError {...props} />
    </Landing>
  );
}
