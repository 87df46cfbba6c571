import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COLUMNS, LEVELS } from './asvs.mjs';
import { committed } from './fixture.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const MAP = `## Where do I change …

| … | In |
| --- | --- |
${'| a call | `docs/wire.md` |\n'.repeat(10)}`;
const TABLES = {
  'ARCHITECTURE.md': `[a](docs/glossary.md) [b](docs/decisions.md) [c](docs/wire.md)\n\n${MAP}`,
  'docs/decisions.md': '# Decisions\n',
  'docs/glossary.md': '# Glossary\n',
  'docs/wire.md': '# Wire\n',
  'quality/asvs.tsv': [COLUMNS, ...[...LEVELS].map(([id, level]) => [id, level, 'open', 'Not yet.', ''])]
    .map((row) => `${row.join('\t')}\n`)
    .join(''),
  'quality/permissions.tsv': 'kind\toperation\nscreen\t/help\n',
  'quality/requirements.tsv': 'id\trequirement\tproof\tcase\n',
};

/** Runs the guards in a small repository of their own. */
function run(t, files) {
  const root = committed(t, { ...TABLES, ...files });
  cpSync(FOLDER, join(root, 'tools/guards'), { recursive: true });
  return spawnSync(process.execPath, ['tools/guards/run.mjs'], { cwd: root, encoding: 'utf8' });
}

test('a run without faults exits with status 0 and no output', (t) => {
  const { status, stderr } = run(t, {});
  assert.deepEqual([status, stderr], [0, '']);
});

test('a run with a fault exits with status 1', (t) => {
  const faults = {
    'ARCHITECTURE.md': `${TABLES['ARCHITECTURE.md']}| a page | \`web/none.ts\` |\n`,
    'quality/permissions.tsv': `${TABLES['quality/permissions.tsv']}screen\t/help\n`,
    'quality/requirements.tsv': `${TABLES['quality/requirements.tsv']}C-1\tThere is help.\te2e/none.spec.ts::help\t\n`,
    'web/tsconfig.tsbuildinfo': '',
    'crates/cloud/src/http/shares/mod.rs': 'let tx = app.db.begin();\n',
    'web/src/domain/title.ts': 'document.title;\n',
  };
  for (const [path, text] of Object.entries(faults)) {
    const { status, stderr } = run(t, { [path]: text });
    assert.equal(status, 1);
    assert.match(stderr, new RegExp(`^${path}`));
  }
});

test('make lint runs the guards', () => {
  const makefile = readFileSync(join(FOLDER, '../../Makefile'), 'utf8');
  const [, lint] = /^lint:.*\n((?:\t.*\n)+)/m.exec(makefile) ?? [];
  assert.match(lint ?? '', /^\tnode tools\/guards\/run\.mjs$/m);
});
