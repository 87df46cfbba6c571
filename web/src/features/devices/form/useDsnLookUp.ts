import { useQueryClient } from '@tanstack/react-query';
import { fetchBaseDevice } from '@/api/device-form';
import type { BaseDevice } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import type { DeviceFields } from './device-values';

/** Checks whether the device of the dsn field can be added: corrects its case, or shows an error there. */
export function useDsnLookUp(fields: DeviceFields): () => void {
  const client = useQueryClient();
  const lookUp = async () => {
    const dsn = fields.latest('dsn').trim();
    if (dsn === '') return;
    // If the server is unreachable there is no error now; saving checks again.
    const device = await fetchBaseDevice(client, dsn).catch(() => undefined);
    // Not if the field has changed meanwhile.
    if (!device || fields.latest('dsn').trim() !== dsn) return;
    if (device.exists && device.dsn !== dsn) fields.set('dsn', device.dsn);
    const error = refusal(device);
    if (error) fields.setError('dsn', error);
  };
  return () => void lookUp();
}

function refusal({ exists, registered }: BaseDevice): string | undefined {
  if (!exists) return t.deviceForm.unknownDsn;
  return registered ? t.deviceForm.takenDsn : undefined;
}
