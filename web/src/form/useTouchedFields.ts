import { useRef } from 'react';
import { changedValues } from '@/domain/changed-values';

/** Fields that must be sent together with another field, because the stored value would not fit its new value. */
const CHANGED_WITH: Readonly<Record<string, string>> = {
  // A state belongs to its country.
  country: 'state',
  // A location needs both coordinates.
  latitude: 'longitude',
  longitude: 'latitude',
};

/**
 * Returns a function that selects the fields to save: those that differ from `start`, and until `start` changes also those
 * that it selected before, because a failed save may have stored them.
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
