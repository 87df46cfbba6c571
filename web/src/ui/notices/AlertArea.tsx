import { Notifications } from '@mantine/notifications';
import '@mantine/core/styles/Notification.css';
import '@mantine/notifications/styles.css';
import classes from './AlertArea.module.css';

/** Several alerts stack. Titles and close buttons are at the top, so alerts are at the bottom. */
export default function AlertArea() {
  return (
    <Notifications position="bottom-right" containerWidth="22rem" limit={3} classNames={{ root: classes.place }} />
  );
}
