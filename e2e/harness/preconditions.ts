import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { CHROMIUM } from './chromium';
import { inRepository } from './repository';
import { BINARY } from './sillage';

const NEEDED = [
  { path: CHROMIUM, remedy: 'apt-get install chromium-headless-shell, or name another one in CHROMIUM' },
  { path: BINARY, remedy: 'cargo build -p sillage' },
  { path: inRepository('web/dist/index.html'), remedy: 'npm --prefix web run build' },
];

/**
 * Runs once before all tests. A missing file fails the run with the command that provides it. Returns a function that prints the
 * version of the browser, just before the results.
 */
export default function checkPreconditions(): () => void {
  const missing = NEEDED.filter(({ path }) => !existsSync(path));
  if (missing.length > 0) {
    throw new Error(missing.map(({ path, remedy }) => `${path} is missing. To get it: ${remedy}`).join('\n'));
  }
  const version = execFileSync(CHROMIUM, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
  return () => console.log(`\nBrowser: ${version}`);
}
