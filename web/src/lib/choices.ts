/** One of the values that a field can take. */
export interface Choice {
  value: string;
  label: string;
}

export function plainChoices(values: readonly string[]): Choice[] {
  return values.map((value) => ({ value, label: value }));
}

/** The choices, each once, and what a field has that is not among them: it may stay. */
export function keeping(choices: readonly Choice[], ...kept: string[]): Choice[] {
  const byValue = new Map(choices.map((choice) => [choice.value, choice]));
  for (const value of kept) if (value && !byValue.has(value)) byValue.set(value, { value, label: value });
  return [...byValue.values()];
}
