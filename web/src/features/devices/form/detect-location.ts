import { degreesText } from '@/domain/degrees';
import { t } from '@/i18n/en';

const TIMEOUT_MS = 15_000;
/** Maximum age of a position; a device is not carried far within this time. */
const FRESH_MS = 60_000;
/** The code of a refused permission. */
const DENIED = 1;

/** The browser's position in the form's format. Throws an error with a message for the user. */
export function detectLocation(geolocation: Geolocation): Promise<{ latitude: string; longitude: string }> {
  return new Promise((resolve, reject) => {
    geolocation.getCurrentPosition(
      ({ coords }) => resolve({ latitude: degreesText(coords.latitude), longitude: degreesText(coords.longitude) }),
      ({ code }) => reject(new Error(t.deviceForm.locationErrors[code] ?? t.deviceForm.locationUnknownError)),
      { enableHighAccuracy: true, timeout: TIMEOUT_MS, maximumAge: FRESH_MS },
    );
  });
}

/** What the user can do about an error of `detectLocation`, if there is something. */
export function locationHelp({ message }: Error): string | undefined {
  return message === t.deviceForm.locationErrors[DENIED] ? t.deviceForm.locationHelp : undefined;
}
