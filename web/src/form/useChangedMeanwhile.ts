import { useRef, useState } from 'react';
import { changedFields } from '@/api/errors';
import type { ChangedField } from '@/api/schema.gen';
import type { Fields, Values } from './useFields';

export type ChangedMeanwhile<Field extends string> = ReturnType<typeof useChangedMeanwhile<Field>>;

/**
 * The fields of a form that another person changed while it was open. The user decides on each. `draftStart` has the
 * initial values of a restored draft.
 */
export function useChangedMeanwhile<Field extends string>(fields: Fields<Field>, draftStart: Partial<Values<Field>>) {
  const [changed, setChanged] = useState<Partial<Record<Field, ChangedField>>>({});
  // The current values that the user has seen in the notice, until the form starts from other values.
  const memory = useRef<{ start: Values<Field>; decided: Partial<Values<Field>> }>({
    start: fields.start,
    decided: {},
  });
  const decided = () => {
    if (memory.current.start !== fields.start) memory.current = { start: fields.start, decided: {} };
    return memory.current.decided;
  };
  const decide = (field: Field) => {
    decided()[field] = changed[field]?.value ?? '';
    setChanged(({ [field]: _, ...others }) => others as typeof changed);
  };

  return {
    changed: Object.entries(changed) as [Field, ChangedField][],
    /** The values that the person saw of the fields to save. */
    seen: (sent: Partial<Values<Field>>): Record<string, string> => {
      const names = Object.keys(sent) as Field[];
      const restored = fields.isRestored ? draftStart : {};
      const seen = { ...fields.start, ...restored, ...decided() };
      return Object.fromEntries(names.map((field) => [field, seen[field]]));
    },
    /** Shows the fields that the failed save names. */
    show: (error: unknown) => setChanged(changedFields(error) as typeof changed),
    keep: decide,
    take: (field: Field) => {
      fields.set(field, changed[field]?.value ?? '');
      decide(field);
    },
  };
}
