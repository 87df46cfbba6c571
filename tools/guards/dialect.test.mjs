import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { trackedFiles } from './committed.mjs';
import { dialectFaults } from './dialect.mjs';
import { committed } from './fixture.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = 'crates/a/src/lib.rs';
const faultsOf = (t, text, path = PATH) => dialectFaults(committed(t, { [path]: text }));

test('keywords of SQL in this repository are lower-case, and no function takes a parameter apart', () => {
  assert.deepEqual(dialectFaults(ROOT), []);
});

test('a keyword in capitals is reported with its line', (t) => {
  const fault = (line, keyword, path = PATH) => `${path}:${line}: ${keyword}; keywords of SQL are lower-case`;
  assert.deepEqual(faultsOf(t, 'const A: &str = "SELECT a from b";\n'), [fault(1, 'SELECT')]);
  assert.deepEqual(faultsOf(t, '\nconst A: &str = "select a \\\n    WHERE b IS NOT NULL";\n'), [
    fault(3, 'WHERE'),
    fault(3, 'IS NOT NULL'),
  ]);
  assert.deepEqual(faultsOf(t, 'const A: &str = r#"update t SET a = "b" RETURNING c"#;\n'), [fault(1, 'RETURNING')]);
  assert.deepEqual(faultsOf(t, 'create table a (b text);\nCREATE INDEX c ON a (b);\n', 'a.sql'), [
    fault(2, 'CREATE INDEX', 'a.sql'),
  ]);
});

test('words in capitals outside of statements are accepted, and so are plans and comments', (t) => {
  const lines = [
    'const DELETE: &str = "DELETE /api/devices";',
    'const FROM: &str = "SEARCH d USING INDEX e; USE TEMP B-TREE FOR ORDER BY";',
    '// SELECT is a keyword.',
    'fn f(request: Request) -> Method { Method::DELETE }',
  ];
  assert.deepEqual(faultsOf(t, `${lines.join('\n')}\n`), []);
});

test('a parameter that is taken apart is reported, in one line or several', (t) => {
  const fault = (line, parameter) => `${PATH}:${line}: ${parameter}; give the parameter a name`;
  assert.deepEqual(faultsOf(t, 'fn f((a, b): (u8, u8)) {}\n'), [fault(1, '(a, b): (u8, u8)')]);
  const lines = ['', 'async fn f<T: Into<u8>, F: Fn(u8, T) -> u8>(', '    a: Vec<(u8, u8)>,', '    (b, c): &(T, u8),', ') {}'];
  assert.deepEqual(faultsOf(t, `${lines.join('\n')}\n`), [fault(2, '(b, c): &(T, u8)')]);
});

test('closures may take their parameters apart, and functions may have tuples', (t) => {
  const lines = ['fn f(pairs: &[(u8, u8)], g: impl Fn((u8, u8)) -> u8) {', '    pairs.iter().map(|(a, b)| a + b);', '}'];
  assert.deepEqual(faultsOf(t, `${lines.join('\n')}\n`), []);
});

test('the lint of functions over 60 lines is on, and each longer one has a reason', () => {
  const read = (path) => readFileSync(join(ROOT, path), 'utf8');
  assert.match(read('clippy.toml'), /^too-many-lines-threshold = 60$/m);
  assert.match(read('Cargo.toml'), /^too_many_lines = "warn"$/m);
  assert.match(read('Makefile'), /cargo clippy --workspace --all-targets --all-features --locked -- -D warnings/);
  const long = trackedFiles(ROOT)
    .filter((path) => /^crates\/.*\.rs$/.test(path))
    .flatMap((path) => read(path).match(/^.*clippy::too_many_lines.*$/gm) ?? []);
  assert.ok(long.length > 0);
  for (const line of long) assert.match(line, /#\[expect\(clippy::too_many_lines, reason = "[^"]+"\)\]/);
});
