import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyDeviceDetail, rereadDevice, updateDeviceSettings } from '@/api/devices';
import { hasNoAnswer, isUnreachable, messageOf } from '@/api/errors';
import { isOnlyRequested } from '@/api/requested';
import type { DeviceSettingsForm } from '@/api/schema.gen';
import { SETTINGS } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess, hideFailure } from '@/ui/notices/alerts';

interface Options {
  /** Shows no alert of a success, because the page shows the state of the command. */
  isQuiet?: boolean;
  onRefused?: (error: unknown) => void;
}

/** Sends settings to a device, in the order of the changes, and shows the result. */
export function useSaveSettings(dsn: string, { isQuiet = false, onRefused }: Options = {}) {
  const client = useQueryClient();
  return useMutation({
    scope: { id: `settings of ${dsn}` },
    mutationFn: (settings: DeviceSettingsForm) => updateDeviceSettings(dsn, settings),
    onSuccess: (device, settings) => {
      applyDeviceDetail(client, device);
      if (isQuiet) return hideFailure(t.settings.saved);
      const isRequested = SETTINGS.some((name) => name in settings && isOnlyRequested(device, name));
      alertSuccess(t.settings.saved, isRequested ? t.device.takenOverLater : undefined);
    },
    onError: (error) => {
      onRefused?.(error);
      // The device may have got the settings although the response is lost.
      if (hasNoAnswer(error)) rereadDevice(client, dsn);
      const text = isUnreachable(error) ? t.settings.unanswered : t.settings.failed;
      alertFailure(text(messageOf(error)), t.settings.saved);
    },
  });
}
