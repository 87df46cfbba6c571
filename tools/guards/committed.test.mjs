import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { committedFaults } from './committed.mjs';
import { committed } from './fixture.mjs';

test('a committed file that git ignores is reported', (t) => {
  const root = committed(t, { '.gitignore': '/data\n', 'data/cloud.db': '', 'src/main.rs': '' });
  assert.deepEqual(committedFaults(root), ['data/cloud.db: ignored by git, but committed']);
});

test('a committed generated file is reported, whether git ignores it or not', (t) => {
  const generated = [
    'e2e/results/junit.xml',
    'src/.main.rs.swp',
    'src/main.rs.orig',
    'src/main.rs.rej',
    'src/types.gen.ts',
    'tools/package-lock.json',
    'web/.DS_Store',
    'web/dist/index.html',
    'web/node_modules/react/index.js',
    'web/tsconfig.tsbuildinfo',
    'target/debug/sillage',
  ].sort();
  const root = committed(t, Object.fromEntries(generated.map((path) => [path, ''])));
  assert.deepEqual(
    committedFaults(root),
    generated.map((path) => `${path}: generated, but committed`),
  );
});

test('generated files that are committed on purpose are accepted', (t) => {
  const files = {
    'Cargo.lock': '',
    'api/openapi.json': '',
    'web/package-lock.json': '',
    'web/src/api/schema.gen.ts': '',
  };
  assert.deepEqual(committedFaults(committed(t, files)), []);
});

test('a file that is deleted in the work tree is not reported', (t) => {
  const root = committed(t, { 'web/tsconfig.tsbuildinfo': '' });
  rmSync(join(root, 'web/tsconfig.tsbuildinfo'));
  assert.deepEqual(committedFaults(root), []);
});
