import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committed } from './fixture.mjs';
import { referenceFaults } from './references.mjs';

const BASE = {
  'docs/decisions.md': '# Decisions\n\n| A-48* | Property and data names | Text. |\n',
  'quality/requirements.tsv': 'id\trequirement\tproof\tcase\nC-2-106\tText.\t\t\n',
  'docs/wire.md': '# Wire\n\n## Device data\nText.\n',
};

const faultsOf = (t, files) => referenceFaults(committed(t, { ...BASE, ...files }));

test('references that resolve are accepted', (t) => {
  const text = '// A-48, C-2-106, docs/wire.md#device-data\n';
  assert.deepEqual(faultsOf(t, { 'src/a.rs': text }), []);
});

test('a decision without a heading is reported', (t) => {
  assert.deepEqual(faultsOf(t, { 'src/a.rs': '//\n// see A-49\n' }), ['src/a.rs:2: A-49 is not in docs/decisions.md']);
});

test('an unknown requirement is reported', (t) => {
  assert.deepEqual(faultsOf(t, { 'src/a.rs': '// C-2-107\n' }), ['src/a.rs:1: C-2-107 is not in quality/requirements.tsv']);
});

test('a page or heading that does not exist is reported', (t) => {
  assert.deepEqual(faultsOf(t, { 'src/a.rs': '// docs/wire.md#roles\n// docs/none.md\n' }), [
    'src/a.rs:1: docs/wire.md#roles: no such heading',
    'src/a.rs:2: docs/none.md: no such file',
  ]);
});

test('a glossary page is checked like any other page', (t) => {
  assert.deepEqual(faultsOf(t, { 'src/a.rs': '// docs/glossary.md#pass\n' }), [
    'src/a.rs:1: docs/glossary.md#pass: no such file',
  ]);
});

test('documents outside the repository are reported', (t) => {
  for (const name of ['wire-facts', 'spec 000', 'c:12', 'l:12', 'TN02', 'design.md', 'stack.md', 'rows.tsv'])
    assert.deepEqual(faultsOf(t, { 'src/a.rs': `// see ${name}\n` }), [
      `src/a.rs:1: '${name}' names a document outside the repository`,
    ]);
});
