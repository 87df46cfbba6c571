/** The letters and marks that have no decomposition. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/ł/g, 'l'],
  [/[đð]/g, 'd'],
  [/ø/g, 'o'],
  [/ħ/g, 'h'],
  [/ı/g, 'i'],
  [/ŧ/g, 't'],
  [/æ/g, 'ae'],
  [/œ/g, 'oe'],
  [/þ/g, 'th'],
  [/[‘’‛ʹʻʼ′`]/g, "'"],
  [/[“”„«»]/g, '"'],
  [/[‐-―−]/g, '-'],
  [/[\s_]/g, ' '],
];
/** Accents of Latin, Greek and Cyrillic letters. Marks of other scripts change the letter, and are kept. */
const ACCENTS = /[\u0300-\u036f]/g;

/** Folds a text for search, as the server does: 'são' finds 'São Paulo'. Also, 'new york' finds 'America/New_York'. */
export function fold(text: string): string {
  // Decomposed, the acute accent becomes a blank, and a sign such as ™ upper-case letters.
  const letters = withoutAccents(text.replaceAll('´', "'"));
  // By character, because a sigma at the end of a word has another lower case.
  const lower = Array.from(letters, (character) => character.toUpperCase().toLowerCase()).join('');
  // Letters in another case can have accents of their own.
  const plain = withoutAccents(lower);
  return REPLACEMENTS.reduce((folded, [found, replacement]) => folded.replace(found, replacement), plain).trim();
}

function withoutAccents(text: string): string {
  return text.normalize('NFKD').replace(ACCENTS, '');
}
