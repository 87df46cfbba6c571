import { useLastMessageAt, useLiveState } from '@/api/live/live';
import { shortTime } from '@/browser/time';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { WarningNotice } from '@/ui/notices/Notice';
import classes from './OfflineNotice.module.css';

/** Shows the age of the page while the server is unreachable. */
export function OfflineNotice() {
  const isOffline = useLiveState() === 'offline';
  const lastMessageAt = useLastMessageAt();
  const now = useNow();
  if (!isOffline) return null;
  return (
    <div className={classes.notice}>
      <WarningNotice text={lastMessageAt ? t.live.lastUpdate(shortTime(lastMessageAt, now)) : t.live.meaning.offline} />
    </div>
  );
}
