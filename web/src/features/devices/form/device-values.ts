import type { DeviceDetail, DeviceForm } from '@/api/schema.gen';
import { dayOf } from '@/browser/days';
import { parseDegrees } from '@/domain/degrees';
import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import { sameZone } from '@/domain/time-zone';
import type { Fields, Values } from '@/form/useFields';

/** Fields that may be empty. */
const OPTIONAL: readonly string[] = [
  'customerId',
  'storeNumber',
  'installedAt',
  'setupCode',
  'latitude',
  'longitude',
  'state',
];

/** Whether the field must be filled in. */
export function isRequired(field: Field): boolean {
  return !OPTIONAL.includes(field);
}

/** Fields that form and page show together with the names of a device. */
export const NAME_DETAILS = [
  { name: 'customerId', type: 'text' },
  { name: 'storeNumber', type: 'text' },
  { name: 'installedAt', type: 'date' },
] as const;

/** The fields of the form in order, by their API names, so that field errors can be assigned. */
export const FIELDS = [
  'customer',
  'csp',
  'serviceArea',
  'customerId',
  'storeNumber',
  'installedAt',
  'serialNumber',
  'dsn',
  'setupCode',
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

export type DeviceFields = Fields<Field>;

/** An empty form, with today as the install date, and with the browser's time zone if it is one of the choices. */
export function newDeviceValues(timeZones: readonly string[], browserZone: string, today: Date): DeviceValues {
  const [systemConfiguration = ''] = Object.keys(SYSTEM_CONFIGURATIONS);
  const timeZone = sameZone(timeZones, browserZone) ?? '';
  return { ...empty(), systemConfiguration, timeZone, installedAt: dayOf(today) };
}

export function valuesOf({ lat, lng, ...device }: DeviceDetail): DeviceValues {
  const location = { latitude: lat?.toString() ?? '', longitude: lng?.toString() ?? '' };
  const values = { ...device, ...location, setupCode: '' };
  return filled((field) => values[field] ?? '');
}

/** The request body with these fields. `seesCsp` is false for users who do not choose the CSP. */
export function toDeviceForm(
  { dsn: _dsn, setupCode: _setupCode, csp, latitude, longitude, ...same }: Partial<DeviceValues>,
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
