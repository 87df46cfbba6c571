import { passwordError } from './password-rule';

/** Without characters that look alike, because people read passwords to each other. */
const CHARACTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const GROUP_LENGTH = 4;
/** Bytes from this value on are discarded, because they would make the first characters more likely. */
const BYTE_LIMIT = 256 - (256 % CHARACTERS.length);

/** Returns `count` random bytes. */
export type RandomBytes = (count: number) => Uint8Array;

const browserRandom: RandomBytes = (count) => crypto.getRandomValues(new Uint8Array(count));

/** Generates a password such as `kTr4-mWq9-Xb7p-Ynd3` that satisfies the password rule, with 92 bits of entropy. */
export function generatePassword(random: RandomBytes = browserRandom): string {
  for (;;) {
    const groups = Array.from({ length: GROUPS }, () => randomText(GROUP_LENGTH, random));
    const password = groups.join('-');
    if (!passwordError(password)) return password;
  }
}

function randomText(length: number, random: RandomBytes): string {
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < BYTE_LIMIT) text += CHARACTERS[byte % CHARACTERS.length];
    }
  }
  return text;
}
