import { IconCheck } from '@tabler/icons-react';
import { t } from '@/i18n/en';
import { VisuallyHidden } from '@/ui/kit';
import classes from './NotificationRows.module.css';

/** Whether somebody is told of an event. */
export function EventMark({ told }: { told: boolean }) {
  return (
    <>
      {told ? (
        <IconCheck size={18} className={classes.told} aria-hidden="true" />
      ) : (
        <span className={classes.soft} aria-hidden="true">
          –
        </span>
      )}
      <VisuallyHidden>{told ? t.notifications.told : t.notifications.untold}</VisuallyHidden>
    </>
  );
}
