import { useQueryClient } from '@tanstack/react-query';
import { baseDeviceQuery } from '@/api/device-form';
import type { BaseDevice } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import type { DeviceFields } from './device-values';

/** Checks whether the device of the dsn field can be added, and shows an error there otherwise. */
export function useDsnLookUp(fields: DeviceFields): () => void {
  const client = useQueryClient();
  const lookUp = async () => {
    const dsn = fields.latest('dsn').trim();
    if (dsn === '') return;
    // If the server is unreachable there is no error now; saving checks again.
    const device = await client.fetchQuery(baseDeviceQuery(dsn)).catch(() => undefined);
    const error = device && refusal(device);
    // Not if the field has changed meanwhile.
    if (error && fields.latest('dsn').trim() === dsn) fields.setError('dsn', error);
  };
  return () => void lookUp();
}

function refusal({ exists, registered }: BaseDevice): string | undefined {
  if (!exists) return t.deviceForm.unknownDsn;
  return registered ? t.deviceForm.takenDsn : undefined;
}
