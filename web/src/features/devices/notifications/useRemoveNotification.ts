import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteDeviceNotification } from '@/api/device-notifications';
import { applyDeviceDetail, deviceQuery } from '@/api/devices';
import { messageOf } from '@/api/errors';
import type { DeviceNotification } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';

/** Acts at once: whoever was removed by mistake is added again. */
export function useRemoveNotification(dsn: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: DeviceNotification) => deleteDeviceNotification(dsn, id),
    onSuccess: (device) => {
      applyDeviceDetail(client, device);
      alertSuccess(t.notifications.removed);
    },
    onError: (error) => {
      alertFailure(t.notifications.removeFailed(messageOf(error)), t.notifications.removed);
      // Some of it may be gone, or somebody else removed it.
      void client.invalidateQueries({ queryKey: deviceQuery(dsn).queryKey });
    },
  });
}
