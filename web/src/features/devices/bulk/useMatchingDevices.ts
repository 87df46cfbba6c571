import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type DeviceFilterQuery, selectDevices } from '@/api/devices';
import { fieldErrors, messageOf } from '@/api/errors';
import { queryText } from '@/api/http';
import { t } from '@/i18n/en';
import type { Selection } from '@/ui/list/useSelection';
import { alertFailure } from '@/ui/notices/alerts';

/**
 * Reads the matching devices and passes them to `take`, unless the filters have changed meanwhile. While exactly these devices
 * are selected, a job gets the filter instead of their DSNs, and the server finds the matching devices when the job starts.
 */
export function useMatchingDevices(query: DeviceFilterQuery, take: (dsns: string[]) => void) {
  const key = JSON.stringify(query);
  const latest = useRef(key);
  const [taken, setTaken] = useState<{ filter: string; dsns: string[] }>();
  useEffect(() => {
    latest.current = key;
  });
  const read = useMutation({
    mutationFn: selectDevices,
    onSuccess: ({ dsns }, requested) => {
      if (JSON.stringify(requested) !== latest.current) return;
      take(dsns);
      setTaken({ filter: queryText(requested), dsns });
    },
    onError: (error) => alertFailure(t.devices.selectFailed(fieldErrors(error).dsns ?? messageOf(error))),
  });
  return {
    isChoosing: read.isPending,
    chooseMatching: () => read.mutate(query),
    /** The filter to send instead of the DSNs; undefined if the selection differs from it. */
    filterOf: ({ keys, has }: Selection) =>
      taken && keys.length === taken.dsns.length && taken.dsns.every(has) ? taken.filter : undefined,
  };
}
