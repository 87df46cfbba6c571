/** A value that a field can have. */
export interface Choice {
  value: string;
  label: string;
}

export function plainChoices(values: readonly string[]): Choice[] {
  return values.map((value) => ({ value, label: value }));
}

/** The distinct choices, and the field's current value even if it is not a choice. */
export function keeping(choices: readonly Choice[], ...kept: string[]): Choice[] {
  const byValue = new Map(choices.map((choice) => [choice.value, choice]));
  for (const value of kept) if (value && !byValue.has(value)) byValue.set(value, { value, label: value });
  return [...byValue.values()];
}
