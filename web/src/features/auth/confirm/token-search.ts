/** The query string of pages that mails link to. Mail programs may break a long link into lines; tokens have no white space. */
export function readTokenSearch({ token }: { token?: unknown }): { token?: string | undefined } {
  return { token: typeof token === 'string' ? token.replace(/\s/g, '') || undefined : undefined };
}
