/**
 * The job that a page follows, kept while the tab is open. It survives a reload and the end of the session, so that a user
 * who signs in again can retry an interrupted job.
 */

const keyOf = (person: string, page: string) => `job:${person}/${page}`;

export function rememberJob(person: string, page: string, id: string): void {
  sessionStorage.setItem(keyOf(person, page), id);
}

export function rememberedJob(person: string, page: string): string | undefined {
  return sessionStorage.getItem(keyOf(person, page)) ?? undefined;
}

export function forgetJob(person: string, page: string): void {
  sessionStorage.removeItem(keyOf(person, page));
}
