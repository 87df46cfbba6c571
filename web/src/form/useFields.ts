import { useState } from 'react';
import { differs } from '@/browser/draft-memory';
import { useForm } from '@/ui/kit';

/** The values of a form; an empty text for a missing value. */
export type Values<Field extends string> = Record<Field, string>;

/** Error messages by field. */
export type FieldErrors<Field extends string> = Partial<Record<Field, string>>;

/** The definition of a form. Fields have their API names, so that the server's field errors can be assigned. */
export interface Shape<Field extends string> {
  /** The fields in display order. */
  fields: readonly Field[];
  labels: Record<Field, string>;
  isRequired: (field: Field) => boolean;
}

export type Fields<Field extends string> = ReturnType<typeof useFields<Field>>;

/** The state of a form with the initial values `start`, and with the draft if there is one. */
export function useFields<Field extends string>(
  { fields, labels, isRequired }: Shape<Field>,
  start: Values<Field>,
  typed: Values<Field> | undefined,
  disabled: boolean,
) {
  const form = useForm<Record<string, string>>({ initialValues: typed ?? start });
  // A save ends with another start.
  const [restoredFrom, setRestoredFrom] = useState(typed && start);
  const values = form.values as Values<Field>;
  const isChanged = differs(start, values);
  const focus = (field: Field) => form.getInputNode(field)?.focus();

  return {
    start,
    values,
    labels,
    errors: form.errors as Partial<Record<Field, React.ReactNode>>,
    isChanged,
    isRestored: restoredFrom === start && isChanged,
    /** The properties of the input of this field. */
    input: (field: Field) => ({
      ...form.getInputProps(field),
      label: labels[field],
      required: isRequired(field),
      disabled,
      size: 'md' as const,
      autoComplete: 'off',
    }),
    set: (field: Field, value: string) => form.setFieldValue(field as string, value),
    setError: (field: Field, error: string) => form.setFieldError(field, error),
    /** The current value of the field, also in a callback that runs later. */
    latest: (field: Field) => form.getValues()[field] ?? '',
    /** Shows the errors and focuses the first field with one. */
    showErrors: (errors: FieldErrors<Field>) => {
      form.setErrors(errors);
      const first = fields.find((field) => errors[field]);
      if (first) focus(first);
    },
    focus,
    discard: () => {
      form.setValues(start);
      form.clearErrors();
      setRestoredFrom(undefined);
    },
  };
}
