import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { logFailedCall } from '@/api/error-log';
import { getPlace } from '@/api/places';
import type { Country } from '@/domain/countries';
import { t } from '@/i18n/en';
import { detectLocation } from './detect-location';
import type { DeviceFields } from './device-values';
import { fillIn, type PlaceField, type PlaceValues, placeValues } from './place-values';

interface Options {
  fields: DeviceFields;
  isNew: boolean;
  countries: readonly Country[];
}

/**
 * Fills in the browser's position, and the fields that follow from it unless the user has chosen other values. The result is
 * lines about the fields; an error has a message for the user.
 */
export function useDetectLocation({ fields, isNew, countries }: Options) {
  const earlier = useRef<PlaceValues>({});
  return useMutation({
    mutationFn: async () => {
      const { latitude, longitude } = await detectLocation(navigator.geolocation);
      fields.set('latitude', latitude);
      fields.set('longitude', longitude);
      const place = await getPlace({ latitude: Number(latitude), longitude: Number(longitude) }).catch((error) => {
        logFailedCall('Looking up the position', error);
        throw new Error(t.location.placeFailed);
      });
      const form = { isNew, start: fields.start, current: fields.latest, earlier: earlier.current };
      const { filled, kept } = fillIn(placeValues(place, countries), form);
      const entries = Object.entries(filled) as [PlaceField, string][];
      for (const [field, value] of entries) fields.set(field, value);
      earlier.current = { ...earlier.current, ...filled };
      const names = entries.filter(([, value]) => value).map(([field]) => field);
      const hasCity = fields.latest('city').trim() !== '';
      const line = t.location.filled(['coordinates', ...names]);
      return [kept.length > 0 ? `${line} ${t.location.kept(kept)}` : line, ...(hasCity ? [] : [t.location.noCity])];
    },
  });
}
