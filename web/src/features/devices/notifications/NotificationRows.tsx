import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { ActionIcon } from '@/ui/kit';
import { Table, type TableColumn } from '@/ui/layout/Table';
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
  return useIsHandheld() ? <Cards {...props} /> : <NotificationTable {...props} />;
}

function NotificationTable({ notifications, actions }: Props) {
  return (
    <div className={classes.bleed}>
      <Table
        caption={t.notifications.title}
        isInset
        columns={columns(actions)}
        rows={notifications}
        rowKey={({ id }) => id}
      />
    </div>
  );
}

function columns(actions: NotificationActions | undefined): TableColumn<DeviceNotification>[] {
  const labels = t.notifications.columns;
  const columns: TableColumn<DeviceNotification>[] = [
    { label: labels.method, cell: ({ method }) => t.notifications.methods[method] },
    { label: labels.recipient, cell: ({ recipient }) => recipient, isRowHeader: true },
    ...EVENTS.map((event) => ({
      label: labels[event],
      cell: ({ events }: DeviceNotification) => <EventMark isSent={events[event] !== null} />,
    })),
  ];
  if (actions) {
    columns.push(
      { label: labels.edit, cell: (notification) => <EditButton notification={notification} actions={actions} /> },
      { label: labels.remove, cell: (notification) => <RemoveButton notification={notification} actions={actions} /> },
    );
  }
  return columns;
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
