/** Whether a trimmed text looks like an e-mail address: one '@' with text on both sides. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim());
}
