import { t } from '@/i18n/en';

/** What a new password must be: as the server has it, which decides. */
const RULES: readonly [kept: (password: string) => boolean, text: string][] = [
  [(password) => [...password].length >= 8 && [...password].length <= 128, t.form.password.length],
  [(password) => /\p{N}|\P{Alphabetic}/u.test(password), t.form.password.special],
  [(password) => /\p{Uppercase}/u.test(password), t.form.password.uppercase],
  [(password) => /\p{Lowercase}/u.test(password), t.form.password.lowercase],
];

/** The rules that a new password breaks, in words; undefined when it is good. */
export function passwordError(password: string): string | undefined {
  const broken = RULES.filter(([isKept]) => !isKept(password)).map(([, text]) => text);
  return broken.join('. ') || undefined;
}

/** What is wrong with the second of two fields for one password. */
export function confirmationError(password: string, confirmation: string): string | undefined {
  return password === confirmation ? undefined : t.form.password.mismatch;
}
