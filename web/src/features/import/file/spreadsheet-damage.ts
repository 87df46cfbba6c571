import { LONGEST_CELL } from '@/domain/catalogue';

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
/**
 * The end of an upper-case word and a mark, as in `MAÇÃ®`. `Â` is left out: few words end in it, but misread marks begin with
 * it.
 */
const WORD_WITH_MARK = /^[ÃÄÅÆÎÏÐÑ][®©™’‘“”«»‹›…–—•·°ºª\u00a0]$/u;
/** An upper-case letter that is not itself a byte of mojibake. */
const ENDS_UPPER_CASE = /[^\P{Lu}ŠŒŽŸ]$/u;
/** Before and after the misread letter in a capitalized word: `NÃ®mes`, `FÃªte`. */
const CAPITAL = /(?:^|\P{L})\p{Lu}$/u;
const STARTS_LOWER_CASE = /^\p{Ll}/u;
/** A file can be misread more than once. */
const MOST_PASSES = 3;
/** Longer cells are refused anyway. Mojibake is longer than the text that was meant. */
const LONGEST_CHECKED = 4 * LONGEST_CELL;

/** The text that was probably meant, if UTF-8 was read as Windows-1252 (`CafÃ©`); otherwise undefined. */
export function intendedText(text: string): string | undefined {
  if (text.length > LONGEST_CHECKED) return undefined;
  let repaired = text;
  for (let pass = 0; pass < MOST_PASSES; pass++) repaired = repairedOnce(repaired);
  return repaired === text ? undefined : repaired;
}

function repairedOnce(text: string): string {
  return text.replaceAll(MOJIBAKE, (found, index: number) => {
    const before = text.slice(0, index);
    const isCapitalized = CAPITAL.test(before) && STARTS_LOWER_CASE.test(text.slice(index + found.length));
    const isWord = WORD_WITH_MARK.test(found) && ENDS_UPPER_CASE.test(before) && !isCapitalized;
    return isWord ? found : decoded(found);
  });
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
