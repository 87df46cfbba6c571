import { useQueryClient } from '@tanstack/react-query';
import { baseDeviceQuery } from '@/api/device-form';
import type { BaseDevice } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import type { DeviceFields } from './useDeviceFields';

/** Asks whether the device of the dsn field can be added, and says so there when it cannot. */
export function useDsnLookUp(fields: DeviceFields): () => void {
  const client = useQueryClient();
  const lookUp = async () => {
    const dsn = fields.latest('dsn').trim();
    if (dsn === '') return;
    // Whoever is out of reach says nothing now, and is asked again on saving.
    const device = await client.fetchQuery(baseDeviceQuery(dsn)).catch(() => undefined);
    const error = device && refusal(device);
    // Not if something else stands there by now.
    if (error && fields.latest('dsn').trim() === dsn) fields.setError('dsn', error);
  };
  return () => void lookUp();
}

function refusal({ exists, registered }: BaseDevice): string | undefined {
  if (!exists) return t.deviceForm.unknownDsn;
  return registered ? t.deviceForm.takenDsn : undefined;
}
