import { IconCheck } from '@tabler/icons-react';
import { t } from '@/i18n/en';
import { VisuallyHidden } from '@/ui/kit';
import classes from './NotificationRows.module.css';

/** Whether an event sends a message. */
export function EventMark({ isSent }: { isSent: boolean }) {
  return (
    <>
      {isSent ? (
        <IconCheck size={18} className={classes.sent} aria-hidden="true" />
      ) : (
        <span className={classes.soft} aria-hidden="true">
          –
        </span>
      )}
      <VisuallyHidden>{isSent ? t.notifications.yes : t.notifications.no}</VisuallyHidden>
    </>
  );
}
