import { isStatus, messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { EmptyNotice, ErrorNotice } from '@/ui/notices/Notice';
import { BackToDevices } from './BackToDevices';

interface Props {
  dsn: string;
  error: Error;
  onRetry: () => void;
}

/** Replaces the page of a device that could not be read. */
export function DeviceFailure({ dsn, error, onRetry }: Props) {
  if (isStatus(error, 404)) {
    return <EmptyNotice page title={t.device.notFound} text={t.device.notFoundHint(dsn)} action={<BackToDevices />} />;
  }
  return <ErrorNotice page title={t.device.failed} reason={messageOf(error)} onRetry={onRetry} />;
}
