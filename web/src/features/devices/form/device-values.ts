import type { DeviceDetail, DeviceForm } from '@/api/schema.gen';
import type { Values } from '@/form/useFields';
import { parseDegrees } from '@/lib/degrees';
import { SYSTEM_CONFIGURATIONS } from '@/lib/system-configurations';

/** The fields of the form, in their order. Their names are those of the server, which so finds them with its errors. */
export const FIELDS = [
  'customer',
  'csp',
  'serviceArea',
  'customerId',
  'storeNumber',
  'serialNumber',
  'dsn',
  'systemConfiguration',
  'fragrance',
  'latitude',
  'longitude',
  'timeZone',
  'country',
  'state',
  'city',
] as const;

export type Field = (typeof FIELDS)[number];

export type DeviceValues = Values<Field>;

/** A form that nobody has filled in; with a time zone, if the one of the browser is one of the choices. */
export function newDeviceValues(timeZones: readonly string[], browserZone: string): DeviceValues {
  const [systemConfiguration = ''] = Object.keys(SYSTEM_CONFIGURATIONS);
  const timeZone = timeZones.includes(browserZone) ? browserZone : '';
  return { ...empty(), systemConfiguration, timeZone };
}

export function valuesOf({ lat, lng, ...device }: DeviceDetail): DeviceValues {
  const location = { latitude: lat?.toString() ?? '', longitude: lng?.toString() ?? '' };
  const values = { ...device, ...location };
  return filled((field) => values[field] ?? '');
}

/** These fields as they are sent. `seesCsp` is false for those whose CSP the server knows. */
export function toDeviceForm(
  { dsn: _, csp, latitude, longitude, ...same }: Partial<DeviceValues>,
  seesCsp: boolean,
): DeviceForm {
  return {
    ...same,
    ...(seesCsp && csp !== undefined && { csp }),
    ...(latitude !== undefined && { latitude: parseDegrees(latitude) }),
    ...(longitude !== undefined && { longitude: parseDegrees(longitude) }),
  };
}

function empty(): DeviceValues {
  return filled(() => '');
}

function filled(value: (field: Field) => string): DeviceValues {
  return Object.fromEntries(FIELDS.map((field) => [field, value(field)])) as DeviceValues;
}
