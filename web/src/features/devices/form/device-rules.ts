import { isDay } from '@/browser/days';
import { parseDegrees } from '@/domain/degrees';
import { textError } from '@/form/text-error';
import type { FieldErrors } from '@/form/useFields';
import { t } from '@/i18n/en';

import { type DeviceValues, FIELDS, type Field, isRequired } from './device-values';

const LIMITS = { latitude: 90, longitude: 180 };

/**
 * The errors that the server would certainly return, in its words. The server decides; this saves a request. `seesCsp` is false
 * for users who do not choose the CSP.
 */
export function check(values: DeviceValues, seesCsp: boolean): FieldErrors<Field> {
  const fields = FIELDS.filter((field) => field !== 'csp' || seesCsp);
  const texts = fields.map((field) => [field, textError(values[field], isRequired(field))] as const);
  return {
    ...Object.fromEntries(texts.filter(([, error]) => error)),
    ...dateErrors(values),
    ...locationErrors(values),
  };
}

function dateErrors({ installedAt }: DeviceValues): FieldErrors<Field> {
  const day = installedAt.trim();
  return day === '' || isDay(day) ? {} : { installedAt: t.deviceForm.noDate };
}

function locationErrors(values: DeviceValues): FieldErrors<Field> {
  const [latitude, longitude] = [parseDegrees(values.latitude), parseDegrees(values.longitude)];
  const errors: FieldErrors<Field> = {};
  if (latitude === null && longitude !== null) errors.latitude = t.deviceForm.bothDegrees;
  if (latitude !== null && longitude === null) errors.longitude = t.deviceForm.bothDegrees;
  for (const [field, degrees] of [
    ['latitude', latitude],
    ['longitude', longitude],
  ] as const) {
    const limit = LIMITS[field];
    // Also refuses NaN.
    if (degrees !== null && !(Math.abs(degrees) <= limit)) errors[field] = t.deviceForm.outOfRange(limit);
  }
  return errors;
}
