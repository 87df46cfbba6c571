import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  applyDeviceNotifications,
  deleteDeviceNotification,
  forgetRemoval,
  keepRemoval,
  type Removal,
  rereadDeviceNotifications,
  undoNotificationRemoval,
} from '@/api/device-notifications';
import { isStatus } from '@/api/errors';
import type { DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { notificationProblem } from './notification-form';

/** Removes at once, without a confirmation. */
export function useRemoveNotification(dsn: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: DeviceNotification) => deleteDeviceNotification(dsn, id),
    onSuccess: (saved, { recipient }) => {
      applyDeviceNotifications(client, dsn, saved);
      keepRemoval(client, dsn, recipient, saved);
      alertSuccess(t.notifications.removed);
    },
    onError: (error) => {
      alertFailure(t.notifications.removeFailed(notificationProblem(error)), t.notifications.removed);
      // Parts of it may have been removed, or another user removed it.
      rereadDeviceNotifications(client, dsn);
    },
  });
}

/** Adds a removed notification again. */
export function useUndoRemoval(dsn: string, { id, recipient }: Removal) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => undoNotificationRemoval(dsn, id),
    onSuccess: (saved) => {
      applyDeviceNotifications(client, dsn, saved);
      forgetRemoval(client, dsn, id);
      alertSuccess(t.notifications.restored(recipient));
    },
    onError: (error) => {
      // The undo came too late or was done elsewhere; a retry would not help.
      if (isStatus(error, 409)) forgetRemoval(client, dsn, id);
      alertFailure(t.notifications.undoFailed(notificationProblem(error)), t.notifications.restored(recipient));
      rereadDeviceNotifications(client, dsn);
    },
  });
}
