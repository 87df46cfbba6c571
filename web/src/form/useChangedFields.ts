import { useState } from 'react';
import { changedFields } from '@/api/errors';
import type { ChangedField } from '@/api/schema.gen';

export type ChangedFields<Field extends string> = ReturnType<typeof useChangedFields<Field>>;

/**
 * The fields that another person changed while the form was open, until the user has decided on each. `onDecide` gets
 * the current value, and whether the user takes it instead of the own one.
 */
export function useChangedFields<Field extends string>(
  onDecide: (field: Field, value: string, takes: boolean) => void,
) {
  const [changed, setChanged] = useState<Partial<Record<Field, ChangedField>>>({});
  const decide = (takes: boolean) => (field: Field) => {
    onDecide(field, changed[field]?.value ?? '', takes);
    setChanged(({ [field]: _, ...others }) => others as typeof changed);
  };
  return {
    changed: Object.entries(changed) as [Field, ChangedField][],
    /** Shows the fields that the failed save names. */
    show: (error: unknown) => setChanged(changedFields(error) as typeof changed),
    clear: () => setChanged({}),
    keep: decide(false),
    take: decide(true),
  };
}
