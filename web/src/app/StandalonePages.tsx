import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { Landing } from '@/ui/Landing';
import { EmptyNotice, ErrorNotice } from '@/ui/Notice';
import { usePageTitle } from '@/ui/usePageTitle';

export function NotFoundPage() {
  usePageTitle(t.errors.notFoundPage);
  return (
    <Landing>
      <EmptyNotice
        page
        title={t.errors.notFoundPage}
        text={t.errors.notFoundPageHint}
        action={<Button renderRoot={(props) => <Link to="/" {...props} />}>{t.errors.toDevices}</Button>}
      />
    </Landing>
  );
}

/** A page that could not be opened, inside the layout. */
export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <ErrorNotice
      page
      title={t.errors.unexpected}
      reason={messageOf(error)}
      onRetry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}

/** The same where there is no layout. */
export function StandaloneError(props: ErrorComponentProps) {
  usePageTitle(t.errors.unexpected);
  return (
    <Landing>
      <PageError {...props} />
    </Landing>
  );
}
