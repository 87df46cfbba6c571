import { useState } from 'react';
import { t } from '@/i18n/en';
import { differs } from '@/lib/draft-memory';
import { useForm } from '@/ui/kit';
import { type FieldErrors, isRequired } from './device-rules';
import { type DeviceValues, FIELDS, type Field } from './device-values';

export type DeviceFields = ReturnType<typeof useDeviceFields>;

/** The state of the form, which begins from `start`, with what was typed before. */
export function useDeviceFields(start: DeviceValues, typed: DeviceValues | undefined, disabled: boolean) {
  const form = useForm<DeviceValues>({ initialValues: typed ?? start });
  const [isRestored, setRestored] = useState(typed !== undefined);
  const isChanged = differs(start, form.values);
  const focus = (field: Field) => form.getInputNode(field)?.focus();

  return {
    start,
    values: form.values,
    errors: form.errors,
    isChanged,
    isRestored: isRestored && isChanged,
    /** What an input of this field is given. */
    input: (field: Field) => ({
      ...form.getInputProps(field),
      label: t.device[field],
      required: isRequired(field),
      disabled,
      size: 'md' as const,
      autoComplete: 'off',
    }),
    set: (field: Field, value: string) => form.setFieldValue(field, value),
    setError: (field: Field, error: string) => form.setFieldError(field, error),
    /** What stands in the field now, also in a callback that waited. */
    latest: (field: Field) => form.getValues()[field],
    /** Shows what is wrong, and leads to the first of it. */
    showErrors: (errors: FieldErrors) => {
      form.setErrors(errors);
      const first = FIELDS.find((field) => errors[field]);
      if (first) focus(first);
    },
    focus,
    discard: () => {
      form.setValues(start);
      form.clearErrors();
      setRestored(false);
    },
  };
}
