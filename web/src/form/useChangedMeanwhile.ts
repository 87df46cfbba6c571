import { useRef } from 'react';
import { useChangedFields } from './useChangedFields';
import type { Fields, Values } from './useFields';

/**
 * The fields of a form that another person changed while it was open, with the values that the user has seen.
 * `draftStart` has the initial values of a restored draft.
 */
export function useChangedMeanwhile<Field extends string>(fields: Fields<Field>, draftStart: Partial<Values<Field>>) {
  // The current values that the user has seen in the notice, until the form starts from other values.
  const memory = useRef<{ start: Values<Field>; decided: Partial<Values<Field>> }>({
    start: fields.start,
    decided: {},
  });
  const decided = () => {
    if (memory.current.start !== fields.start) memory.current = { start: fields.start, decided: {} };
    return memory.current.decided;
  };
  const changed = useChangedFields<Field>((field, value, takes) => {
    decided()[field] = value;
    if (takes) fields.set(field, value);
  });
  return {
    ...changed,
    /** The values that the person saw of the fields to save. */
    seen: (sent: Partial<Values<Field>>): Record<string, string> => {
      const names = Object.keys(sent) as Field[];
      const restored = fields.isRestored ? draftStart : {};
      const seen = { ...fields.start, ...restored, ...decided() };
      return Object.fromEntries(names.map((field) => [field, seen[field]]));
    },
  };
}
