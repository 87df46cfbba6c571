/** The characters of Windows-1252 for the bytes from 0x80; undefined bytes are control characters. */
const WINDOWS_1252_FROM_80 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 128 }, (_, n) => 128 + n),
);

/** The continuation bytes of UTF-8, read as Windows-1252. */
const NEXT = `[${WINDOWS_1252_FROM_80.slice(0, 64)}]`;
/**
 * UTF-8 read as Windows-1252: Latin letters, Greek and Cyrillic; punctuation and signs; emoji; the misread bytes of these,
 * misread again. Other scripts are left out, because their patterns also occur in names such as `Café®`.
 */
const MOJIBAKE = new RegExp(`[ÂÃÄÅÎÏÐÑ]${NEXT}|â[€‚„]${NEXT}|ðŸ${NEXT}{2}|Æ’|Ë[†œ]|ï[¿»]${NEXT}`, 'gu');
/** An upper-case word before a mark, as in `MAÇÃ®`. */
const WORD_WITH_MARK = /^[ÂÃÄÅÆÎÏÐÑ][®™’…»”]$/u;
/** An upper-case letter that is not itself a byte of mojibake. */
const ENDS_UPPER_CASE = /[^\P{Lu}ŠŒŽŸ]$/u;

/** The text that was probably meant, if UTF-8 was read as Windows-1252 (`CafÃ©`); otherwise undefined. */
export function intendedText(text: string): string | undefined {
  const repaired = text.replaceAll(MOJIBAKE, (found, index: number) => {
    const isWord = WORD_WITH_MARK.test(found) && ENDS_UPPER_CASE.test(text.slice(0, index));
    return isWord ? found : decoded(found);
  });
  if (repaired === text) return undefined;
  // A file can be misread more than once.
  return intendedText(repaired) ?? repaired;
}

function decoded(mojibake: string): string {
  const bytes = [...mojibake].map((character) => 128 + WINDOWS_1252_FROM_80.indexOf(character));
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return mojibake;
  }
}

export type SkuDamage = 'scientific' | 'date' | 'digits' | 'number';

const SCIENTIFIC = /^\d(?:[.,]\d+)?E\+\d{1,3}$/i;
/** More digits than a spreadsheet's number has; the others became zeros. */
const LOST_DIGITS = /^[1-9]\d{14}0+$/;
/** Months in English, German, French, Spanish, Italian and Dutch, as spreadsheets shorten them. */
const MONTH =
  '(?:jan|janv|ene|gen|feb|févr|mar|mär|mrz|mrt|mars|apr|avr|abr|may|mai|mei|mag|jun|juin|giu|jul|juil|lug|aug|août|ago|sep|sept|set|oct|okt|ott|nov|dec|dez|déc|dic)\\.?';
/** A day or a month. */
const DAY = '(?:0?[1-9]|[12]\\d|3[01])';
const DATES = [
  new RegExp(`^${DAY}[-./ ]+${MONTH}(?:[-./ ]+\\d{2,4})?$`, 'iu'),
  new RegExp(`^${MONTH}[-./ ]+\\d{2,4}$`, 'iu'),
  new RegExp(`^${DAY}([./])${DAY}\\1(?:\\d{2}|\\d{4})$`),
  new RegExp(`^${DAY}-${DAY}-\\d{4}$`),
  new RegExp(`^\\d{4}-${DAY}-${DAY}(?: 00:00(?::00)?)?$`),
];
const NUMBER = /^\d+(?:\.\d+)?(?:E\+?\d{1,3})?$/i;

/** How a spreadsheet probably changed an SKU; undefined if it is unchanged or plausible. */
export function skuDamage(sku: string, before: string | undefined): SkuDamage | undefined {
  if (sku === before) return undefined;
  if (SCIENTIFIC.test(sku)) return 'scientific';
  if (DATES.some((date) => date.test(sku))) return 'date';
  if (LOST_DIGITS.test(sku)) return 'digits';
  const isNumberBefore = before !== undefined && NUMBER.test(before) && NUMBER.test(sku);
  return isNumberBefore && Number(before) === Number(sku) ? 'number' : undefined;
}
