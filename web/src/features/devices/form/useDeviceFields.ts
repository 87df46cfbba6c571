import { type Fields, useFields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { type DeviceValues, FIELDS, type Field, isRequired } from './device-values';

export type DeviceFields = Fields<Field>;

const SHAPE = { fields: FIELDS, labels: t.device, isRequired };

export function useDeviceFields(start: DeviceValues, typed: DeviceValues | undefined, disabled: boolean): DeviceFields {
  return useFields(SHAPE, start, typed, disabled);
}
