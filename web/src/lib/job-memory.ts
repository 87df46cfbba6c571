/**
 * The job that a person follows on a page, as long as the tab is open. It outlives a reload, and a session that ended in the
 * middle: who signs in again can retry what was interrupted.
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
