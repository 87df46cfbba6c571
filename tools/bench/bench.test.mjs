import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Headings, run } from './bench.mjs';

const RUNNER = fileURLToPath(new URL('bench.mjs', import.meta.url));
const MAKEFILE = readFileSync(new URL('../../Makefile', import.meta.url), 'utf8');

const MISSING = `printf 'SQLite, 100 devices\\n  administrator\\n    by city 12.0 ms  MISSED: 10ms\\n    by name 2.0 ms\\n  partner\\n    by name 11.5 ms  MISSED: 10ms\\n'; exit 1`;

test('every part runs to its end, and all misses are listed last with their headings and figures', async () => {
  const printed = [];
  const commands = [MISSING, 'echo good', 'exit 3', 'echo "ratio 0.10 (>= 0.15: MISSED)"', 'echo last'];
  const misses = await run(commands, (line) => printed.push(line));
  assert.deepEqual(misses, [
    `${MISSING}: SQLite, 100 devices / administrator / by city 12.0 ms  MISSED: 10ms`,
    `${MISSING}: SQLite, 100 devices / partner / by name 11.5 ms  MISSED: 10ms`,
    'exit 3: failed with 3',
    `${commands[3]}: ratio 0.10 (>= 0.15: MISSED)`,
  ]);
  assert.ok(printed.includes('good') && printed.includes('last'), 'parts after a miss run, too');
  assert.equal(printed.at(-1), `\n4 missed:\n${misses.join('\n')}`);
});

test('a run without misses says so and exits with 0, one with a miss with 1', () => {
  const good = spawnSync(RUNNER, ['echo one', 'echo two'], { encoding: 'utf8' });
  assert.deepEqual([good.status, good.stdout], [0, '\n# echo one\none\n\n# echo two\ntwo\n\nAll bounds hold.\n']);
  const bad = spawnSync(RUNNER, ['echo "a MISSED: 1"', 'echo two'], { encoding: 'utf8' });
  assert.equal(bad.status, 1);
  assert.ok(bad.stdout.endsWith('two\n\n1 missed:\necho "a MISSED: 1": a MISSED: 1\n'));
});

test('headings are the last lines with less indentation', () => {
  const headings = new Headings();
  const lines = ['a', '  b', '    c', '    d', '', '  e', 'f'];
  assert.deepEqual(lines.map((line) => headings.place(line).join('/')), ['a', 'a/b', 'a/b/c', 'a/b/d', '', 'a/e', 'f']);
});

test('make bench and make bench-full run each of their parts in it', () => {
  for (const target of ['bench', 'bench-full']) {
    const recipe = MAKEFILE.match(new RegExp(`^${target}:.*\\n((?:\\t.*\\n)+)`, 'm'))[1];
    const parts = ['list', 'ingest', 'index', 'pass', 'stream', 'live'].map((name) => `--bench ${name}'`);
    assert.ok(recipe.includes('tools/bench/bench.mjs'));
    assert.deepEqual(parts.filter((part) => !recipe.includes(part)), []);
  }
});
