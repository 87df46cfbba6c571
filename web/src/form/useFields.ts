import { useState } from 'react';
import { differs } from '@/lib/draft-memory';
import { useForm } from '@/ui/kit';

/** What stands in a form; an empty text where there is nothing. */
export type Values<Field extends string> = Record<Field, string>;

/** What is wrong, by field. */
export type FieldErrors<Field extends string> = Partial<Record<Field, string>>;

/** What a form is made of. The names of its fields are those of the server, which so finds them with its errors. */
interface Shape<Field extends string> {
  /** In their order. */
  fields: readonly Field[];
  labels: Record<Field, string>;
  isRequired: (field: Field) => boolean;
}

export type Fields<Field extends string> = ReturnType<typeof useFields<Field>>;

/** The state of a form, which begins from `start`, with what was typed before. */
export function useFields<Field extends string>(
  { fields, labels, isRequired }: Shape<Field>,
  start: Values<Field>,
  typed: Values<Field> | undefined,
  disabled: boolean,
) {
  const form = useForm<Record<string, string>>({ initialValues: typed ?? start });
  const [isRestored, setRestored] = useState(typed !== undefined);
  const values = form.values as Values<Field>;
  const isChanged = differs(start, values);
  const focus = (field: Field) => form.getInputNode(field)?.focus();

  return {
    start,
    values,
    errors: form.errors as Partial<Record<Field, React.ReactNode>>,
    isChanged,
    isRestored: isRestored && isChanged,
    /** What an input of this field is given. */
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
    /** What stands in the field now, also in a callback that waited. */
    latest: (field: Field) => form.getValues()[field] ?? '',
    /** Shows what is wrong, and leads to the first of it. */
    showErrors: (errors: FieldErrors<Field>) => {
      form.setErrors(errors);
      const first = fields.find((field) => errors[field]);
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
