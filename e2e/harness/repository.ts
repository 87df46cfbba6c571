import { resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

/** The absolute path of a file of this repository. */
export function inRepository(path: string): string {
  return resolve(ROOT, path);
}
