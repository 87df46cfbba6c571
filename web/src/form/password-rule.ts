import { t } from '@/i18n/en';

/** The rules for new passwords, as on the server, which decides. */
const RULES: readonly [kept: (password: string) => boolean, text: string][] = [
  [(password) => [...password].length >= 8 && [...password].length <= 128, t.form.password.length],
  [(password) => /\p{N}|\P{Alphabetic}/u.test(password), t.form.password.special],
  [(password) => /\p{Uppercase}/u.test(password), t.form.password.uppercase],
  [(password) => /\p{Lowercase}/u.test(password), t.form.password.lowercase],
];

/** The hint that a password was probably pasted with more than itself; undefined if it was not. */
export function blankHint(password: string): string | undefined {
  return password === password.trim() ? undefined : t.form.password.blank;
}

/** The message for the rules that a new password breaks; undefined if it is valid. */
export function passwordError(password: string): string | undefined {
  const broken = RULES.filter(([isKept]) => !isKept(password)).map(([, text]) => text);
  return broken.join('. ') || undefined;
}

/** The error of the field that repeats a password. */
export function confirmationError(password: string, confirmation: string): string | undefined {
  return password === confirmation ? undefined : t.form.password.mismatch;
}
