import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { ActionIcon } from '@/ui/kit';
import { useIsHandheld } from '@/ui/useIsHandheld';
import { EventMark } from './EventMark';
import classes from './NotificationRows.module.css';
import { EVENTS } from './notification-form';

export interface NotificationActions {
  edit: (notification: DeviceNotification) => void;
  remove: (notification: DeviceNotification) => void;
  removing: boolean;
}

interface Props {
  notifications: readonly DeviceNotification[];
  /** Undefined for users who may not edit the device. */
  actions: NotificationActions | undefined;
}

/** A table, or cards on a phone. */
export function NotificationRows(props: Props) {
  return useIsHandheld() ? <Cards {...props} /> : <Table {...props} />;
}

function Table({ notifications, actions }: Props) {
  const { edit, remove, ...columns } = t.notifications.columns;
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={t.notifications.title}>
        <thead>
          <tr>
            {Object.values(columns).map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            {actions && <th scope="col">{edit}</th>}
            {actions && <th scope="col">{remove}</th>}
          </tr>
        </thead>
        <tbody>
          {notifications.map((notification) => (
            <tr key={notification.id}>
              <td>{t.notifications.methods[notification.method]}</td>
              <th scope="row">{notification.recipient}</th>
              {EVENTS.map((event) => (
                <td key={event}>
                  <EventMark isSent={notification.events[event] !== null} />
                </td>
              ))}
              {actions && (
                <td>
                  <EditButton notification={notification} actions={actions} />
                </td>
              )}
              {actions && (
                <td>
                  <RemoveButton notification={notification} actions={actions} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cards({ notifications, actions }: Props) {
  return (
    <ul className={classes.cards} aria-label={t.notifications.title}>
      {notifications.map((notification) => {
        const events = EVENTS.filter((event) => notification.events[event] !== null);
        return (
          <li key={notification.id} className={classes.card}>
            <div className={classes.what}>
              <b className={classes.recipient}>{notification.recipient}</b>
              <span className={classes.soft}>
                {[
                  t.notifications.methods[notification.method],
                  ...events.map((event) => t.notifications.columns[event]),
                ].join(' · ')}
              </span>
            </div>
            {actions && <EditButton notification={notification} actions={actions} />}
            {actions && <RemoveButton notification={notification} actions={actions} />}
          </li>
        );
      })}
    </ul>
  );
}

interface ButtonProps {
  notification: DeviceNotification;
  actions: NotificationActions;
}

function EditButton({ notification, actions }: ButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={t.notifications.edit(notification.recipient)}
      aria-haspopup="dialog"
      onClick={() => actions.edit(notification)}
    >
      <IconPencil size={18} aria-hidden="true" />
    </ActionIcon>
  );
}

function RemoveButton({ notification, actions }: ButtonProps) {
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={t.notifications.remove(notification.recipient)}
      disabled={actions.removing}
      onClick={() => actions.remove(notification)}
    >
      <IconTrash size={18} aria-hidden="true" />
    </ActionIcon>
  );
}
