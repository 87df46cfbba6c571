import { readFileSync } from 'node:fs';

/** Loads test vectors that the Rust tests of crates/diffuser use, too. */
export function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../crates/diffuser/vectors/${name}.json`, import.meta.url), 'utf8'));
}
