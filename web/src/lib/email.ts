/** Whether it looks like an e-mail address, blanks around it aside: one '@' with text on both sides. */
export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim());
}
