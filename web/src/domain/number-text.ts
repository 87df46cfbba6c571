/** A number with separators of thousands, as everywhere in the console: 4,377. */
export function numberText(value: number): string {
  return value.toLocaleString('en-US');
}
