/** A character that a text of one line must not contain. */
export interface Invisible {
  /** As in U+200B. */
  code: string;
  /** 1 for the first character. */
  position: number;
  /** Whether it is a control character or breaks the line; otherwise it formats text. */
  isControl: boolean;
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** A joiner within an emoji of several, as in a family, can be seen. */
const JOINED = /(\p{Extended_Pictographic}[\u{fe0f}\u{1f3fb}-\u{1f3ff}]*)\u{200d}/gu;

/** The first character that must not be there. The server decides; this reports it before anything is sent. */
export function invisibleIn(text: string): Invisible | undefined {
  const characters = [...text.replaceAll(JOINED, '$1-')];
  const index = characters.findIndex((character) => INVISIBLE.test(character));
  const character = characters[index];
  if (character === undefined) return undefined;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return { code: `U+${code}`, position: index + 1, isControl: !/\p{Cf}/u.test(character) };
}

/** Equal for names that differ in case, Unicode form, width, blanks or invisible marks only. */
export function sameName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Cf}/gu, '');
  return visible.replaceAll(/\s+/g, ' ').trim().toUpperCase().toLowerCase();
}
