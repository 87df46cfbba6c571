import { useMutation, useQueryClient } from '@tanstack/react-query';
import {
  applyDeviceNotifications,
  deleteDeviceNotification,
  rereadDeviceNotifications,
} from '@/api/device-notifications';
import type { DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { notificationProblem } from './notification-form';

/** Removes at once, without a confirmation. */
export function useRemoveNotification(dsn: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: DeviceNotification) => deleteDeviceNotification(dsn, id),
    onSuccess: (saved) => {
      applyDeviceNotifications(client, dsn, saved);
      alertSuccess(t.notifications.removed);
    },
    onError: (error) => {
      alertFailure(t.notifications.removeFailed(notificationProblem(error)), t.notifications.removed);
      // Parts of it may have been removed, or another user removed it.
      rereadDeviceNotifications(client, dsn);
    },
  });
}
