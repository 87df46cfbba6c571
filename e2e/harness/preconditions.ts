import { existsSync } from 'node:fs';
import { CHROMIUM } from './chromium';
import { inRepository } from './repository';
import { BINARY } from './sillage';

const NEEDED = [
  { path: CHROMIUM, remedy: 'apt-get install chromium, or name another one in CHROMIUM' },
  { path: BINARY, remedy: 'cargo build -p sillage' },
  { path: inRepository('web/dist/index.html'), remedy: 'npm --prefix web run build' },
];

/** Runs once before all tests: what is missing fails the run with the command that helps. */
export default function checkPreconditions(): void {
  const missing = NEEDED.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) {
    throw new Error(missing.map(({ path, remedy }) => `${path} is missing. To get it: ${remedy}`).join('\n'));
  }
}
