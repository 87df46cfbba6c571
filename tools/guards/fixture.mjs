// A small repository in a temporary folder, for the tests of the guards.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Writes the files (path → text) and returns the folder, which is removed after the test. */
export function repository(test, files) {
  const root = mkdtempSync(join(tmpdir(), 'guards-'));
  test.after(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Like `repository`, with every file in the git index, including ignored files. */
export function committed(test, files) {
  const root = repository(test, files);
  // Git hooks set GIT_DIR and GIT_INDEX_FILE, which override `cwd`.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  for (const args of [
    ['init', '--quiet'],
    ['add', '--force', '--all'],
  ])
    execFileSync('git', args, { cwd: root, env });
  return root;
}
