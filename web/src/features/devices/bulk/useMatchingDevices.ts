import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type DeviceFilterQuery, selectDevices } from '@/api/devices';
import { fieldErrors, messageOf } from '@/api/errors';
import { t } from '@/i18n/en';
import { alertFailure } from '@/ui/alerts';

/** Reads the matching devices and passes them to `take`, unless the filters have changed meanwhile. */
export function useMatchingDevices(query: DeviceFilterQuery, take: (dsns: string[]) => void) {
  const key = JSON.stringify(query);
  const latest = useRef(key);
  useEffect(() => {
    latest.current = key;
  });
  const read = useMutation({
    mutationFn: selectDevices,
    onSuccess: ({ dsns }, requested) => {
      if (JSON.stringify(requested) === latest.current) take(dsns);
    },
    onError: (error) => alertFailure(t.devices.selectFailed(fieldErrors(error).dsns ?? messageOf(error))),
  });
  return { isChoosing: read.isPending, chooseMatching: () => read.mutate(query) };
}
