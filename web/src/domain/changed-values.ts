/** The changed values by name. */
export function changedValues<V extends Record<string, string>>(before: V, after: V): Partial<V> {
  const changed = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries(changed) as Partial<V>;
}
