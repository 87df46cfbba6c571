import { appVersion } from './page-meta';

/** The release of the server, as its responses name it, compared with that of the page. */

let updated = false;
const listeners = new Set<() => void>();

/** Thrown instead of a part of the page whose code could not be loaded. */
export class LoadFailure extends Error {
  override readonly name = 'LoadFailure';
}

/** Whether the server has another release than the page, whose further files it may no longer have. */
export const isUpdated = (): boolean => updated;

/** Calls `listener` when the server has another release, until the returned function is called. */
export function onUpdate(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads the release in a response; the response of a proxy has none. */
export function noteRelease({ headers }: Response): void {
  const server = headers.get('x-app-version');
  if (server === null) return;
  const own = appVersion();
  setUpdated(updated || (own !== undefined && server !== own));
}

/** Reads the release of the server, after a file of the page was not found. Never rejects. */
export async function checkRelease(): Promise<void> {
  await fetch('/', { method: 'HEAD', cache: 'no-store' }).then(noteRelease, () => undefined);
}

/** Forgets the other release, for tests. */
export function forgetUpdate(): void {
  setUpdated(false);
}

function setUpdated(value: boolean): void {
  if (updated === value) return;
  updated = value;
  for (const listener of listeners) listener();
}
