/** The query string of pages that mails link to. */
export function readTokenSearch({ token }: { token?: unknown }): { token?: string | undefined } {
  return { token: typeof token === 'string' ? token.trim() || undefined : undefined };
}
