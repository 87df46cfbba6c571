// No generated or ignored file is committed.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Generated files that are committed on purpose. */
const ALLOWED = [
  'Cargo.lock',
  'api/openapi.json',
  'e2e/package-lock.json',
  'fuzz/Cargo.lock',
  'web/package-lock.json',
  'web/src/api/schema.gen.ts',
];

/** Build output, leftovers of editors and merges, and generated code, in any folder. */
const GENERATED = [
  /(^|\/)(node_modules|target|dist|results|test-results|playwright-report|coverage|__pycache__)\//,
  /\.(tsbuildinfo|orig|rej|bak|tmp|log|pyc|profraw|swp|swo)$/,
  /(^|\/)(\.DS_Store|Thumbs\.db)$/,
  /~$/,
  /(^|\/)(Cargo\.lock|package-lock\.json|openapi\.json)$/,
  /\.gen\.[a-z]+$/,
];

export function committedFaults(root) {
  const ignored = new Set(listed(root, ['--cached', '--ignored', '--exclude-standard']));
  return trackedFiles(root)
    .filter((path) => !ALLOWED.includes(path))
    .filter((path) => ignored.has(path) || GENERATED.some((pattern) => pattern.test(path)))
    .map((path) => `${path}: ${ignored.has(path) ? 'ignored by git' : 'generated'}, but committed`);
}

/** Paths of the committed files that still exist in the work tree. */
export function trackedFiles(root) {
  return listed(root, ['--cached']);
}

/** Files in the index that still exist in the work tree: an unstaged deletion counts as a deletion. */
function listed(root, options) {
  // Git hooks set GIT_DIR and GIT_INDEX_FILE, which override `cwd`.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  // Without the contributor's global ignore file, so that the result is the same on every machine.
  const args = ['-c', 'core.excludesFile=', 'ls-files', '-z', ...options];
  const output = execFileSync('git', args, { cwd: root, env, encoding: 'utf8' });
  return output.split('\0').filter((path) => path && existsSync(join(root, path)));
}
