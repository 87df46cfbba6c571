const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)$/;
/** What is worth writing down: about ten centimetres. */
const DECIMALS = 6;

/** Degrees as somebody typed them: null for an empty text, NaN for what is no number. */
export function parseDegrees(text: string): number | null {
  // Copied from a text, a minus may be a typographer's.
  const typed = text.trim().replace('\u2212', '-');
  if (typed === '') return null;
  return NUMBER.test(typed) ? Number(typed) : Number.NaN;
}

/** '41.878100' */
export function degreesText(degrees: number): string {
  return degrees.toFixed(DECIMALS);
}
