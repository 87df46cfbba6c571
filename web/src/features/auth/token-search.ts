/** The query string of the pages that links in mails lead to. */
export function readTokenSearch({ token }: { token?: unknown }): { token?: string | undefined } {
  return { token: typeof token === 'string' ? token.trim() || undefined : undefined };
}
