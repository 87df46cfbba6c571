import { readFileSync } from 'node:fs';

/** The cases that the Rust tests of crates/diffuser read too. */
export function vectors<T>(name: string): T[] {
  return JSON.parse(readFileSync(new URL(`../../crates/diffuser/vectors/${name}.json`, import.meta.url), 'utf8'));
}
