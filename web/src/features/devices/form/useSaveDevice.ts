import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { createDevice, knownDsn, refreshDevice, updateDevice } from '@/api/device-form';
import { applyDeviceDetail, rereadDeviceLists } from '@/api/devices';
import { messageOf } from '@/api/errors';
import type { DeviceDetail, DeviceForm } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

interface Options {
  /** The dsn of the edited device; undefined to add one. */
  dsn: string | undefined;
  onSaved: (device: DeviceDetail) => void;
  onRefused: (error: unknown) => void;
}

interface Saved {
  dsn: string;
  /** The code printed on a new device; empty if the cloud has not asked for it. */
  setupCode: string;
  form: DeviceForm;
}

/** Adds or edits a device and shows the result. */
export function useSaveDevice({ dsn, onSaved, onRefused }: Options) {
  const client = useQueryClient();
  const [saved, failed] = dsn
    ? [t.deviceForm.updated, t.deviceForm.updateFailed]
    : [t.deviceForm.added, t.deviceForm.addFailed];
  return useMutation({
    mutationFn: async ({ dsn: typed, setupCode, form }: Saved) =>
      dsn
        ? updateDevice(dsn, form)
        : createDevice({
            ...form,
            dsn: await knownDsn(client, typed),
            ...(setupCode !== '' && { setupCode }),
          }),
    onSuccess: (device) => {
      storeDevice(client, device);
      void followUp(client, device.dsn);
      alertSuccess(saved);
      onSaved(device);
    },
    onError: (error) => {
      alertFailure(failed(messageOf(error)), saved);
      onRefused(error);
    },
  });
}

/** Failures are ignored, because the save has succeeded. */
async function followUp(client: QueryClient, dsn: string): Promise<void> {
  try {
    storeDevice(client, await refreshDevice(dsn));
  } catch (error) {
    console.warn(`${dsn} was saved, but not read again:`, messageOf(error));
  }
}

function storeDevice(client: QueryClient, device: DeviceDetail): void {
  applyDeviceDetail(client, device);
  void rereadDeviceLists(client);
}
