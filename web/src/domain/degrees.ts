const NUMBER = /^[+-]?(\d+[.,]?\d*|[.,]\d+)$/;
/** A precision of about ten centimetres. */
const DECIMALS = 6;

/** Parses typed degrees: null for an empty text, NaN if it is not a number. */
export function parseDegrees(text: string): number | null {
  // Copied text may contain a typographic minus sign.
  const typed = text.trim().replace('\u2212', '-');
  if (typed === '') return null;
  // Many keyboards have a comma as their only decimal separator.
  return NUMBER.test(typed) ? Number(typed.replace(',', '.')) : Number.NaN;
}

/** '41.878100' */
export function degreesText(degrees: number): string {
  return degrees.toFixed(DECIMALS);
}
