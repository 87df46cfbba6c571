import { isStatus, messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { BackToCsps } from './BackToCsps';

interface Props {
  error: Error;
  onRetry: () => void;
}

/** Replaces the page of a CSP that could not be read. */
export function CspFailure({ error, onRetry }: Props) {
  if (isStatus(error, 404)) {
    return <EmptyNotice page title={t.csps.loadFailed} text={t.csps.notFoundHint} action={<BackToCsps />} />;
  }
  return <ErrorNotice page title={t.csps.loadFailed} reason={messageOf(error)} onRetry={onRetry} />;
}
