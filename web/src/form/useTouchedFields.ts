import { useRef } from 'react';
import { changedValues } from '@/lib/changed-values';

/** Changed with another field, which does not fit what is stored of them. */
const CHANGED_WITH: Readonly<Record<string, string>> = {
  // Another country has other states.
  country: 'state',
  // A place has both.
  latitude: 'longitude',
  longitude: 'latitude',
};

/**
 * Gives the fields of a form to save: those that differ from `start`. Also those that were given before, until there is
 * another `start`: a save that failed may have stored them.
 */
export function useTouchedFields<V extends Record<string, string>>(start: V): (values: V) => Partial<V> {
  const memory = useRef({ start, touched: new Set<string>() });
  return (values) => {
    if (memory.current.start !== start) memory.current = { start, touched: new Set() };
    const { touched } = memory.current;
    for (const field of Object.keys(changedValues(start, values))) {
      touched.add(field);
      const other = CHANGED_WITH[field];
      if (other !== undefined) touched.add(other);
    }
    return Object.fromEntries(Object.entries(values).filter(([field]) => touched.has(field))) as Partial<V>;
  };
}
