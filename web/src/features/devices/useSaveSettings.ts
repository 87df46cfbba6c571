import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyDeviceDetail, updateDeviceSettings } from '@/api/devices';
import { fieldErrors, messageOf } from '@/api/errors';
import { isOnlyRequested } from '@/api/requested';
import type { DeviceSettings } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { SETTINGS } from '@/lib/settings-rules';
import { alertFailure, alertSuccess } from '@/ui/alerts';

interface Options {
  onRefused?: (errors: Record<string, string>) => void;
}

/** Sends settings to a device, in the order of the changes, and shows the result. */
export function useSaveSettings(dsn: string, { onRefused }: Options = {}) {
  const client = useQueryClient();
  return useMutation({
    scope: { id: `settings of ${dsn}` },
    mutationFn: (settings: DeviceSettings) => updateDeviceSettings(dsn, settings),
    onSuccess: (device, settings) => {
      applyDeviceDetail(client, device);
      const isRequested = SETTINGS.some((name) => name in settings && isOnlyRequested(device, name));
      alertSuccess(t.settings.saved, isRequested ? t.device.takenOverLater : undefined);
    },
    onError: (error) => {
      onRefused?.(fieldErrors(error));
      alertFailure(t.settings.failed(messageOf(error)), t.settings.saved);
    },
  });
}
