import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asvsFaults, COLUMNS, LEVELS } from './asvs.mjs';
import { repository } from './fixture.mjs';

/** The faults of a table that answers everything, after `change` was applied to its rows. */
function faultsAfter(t, change) {
  const rows = [...LEVELS].map(([id, level]) => [id, level, 'not applicable', 'The product has none.', '']);
  const changed = change(rows) ?? rows;
  const lines = [COLUMNS, ...changed].map((row) => row.join('\t'));
  return asvsFaults(repository(t, { 'quality/asvs.tsv': `${lines.join('\n')}\n`, 'README.md': 'text' }));
}

const rowOf = (rows, id) => rows.find(([row]) => row === id);

test('the table of this repository answers every requirement', () => {
  assert.deepEqual(asvsFaults(fileURLToPath(new URL('../..', import.meta.url))), []);
});

test('the standard has 70 requirements of level 1 and 183 of level 2', () => {
  const levels = [...LEVELS.values()];
  assert.deepEqual([levels.filter((level) => level === '1').length, levels.length], [70, 253]);
});

test('a table that answers every requirement has no fault', (t) => {
  assert.deepEqual(
    faultsAfter(t, (rows) => void rowOf(rows, '6.2.1').splice(2, 3, 'met', 'Somehow.', 'README.md')),
    [],
  );
});

test('a requirement without an answer is reported', (t) => {
  const faults = faultsAfter(t, (rows) => rows.filter(([id]) => id !== '6.2.1'));
  assert.deepEqual(faults, ['quality/asvs.tsv: 6.2.1 has no answer']);
});

test('a requirement that is answered twice or is not of these levels is reported', (t) => {
  const faults = faultsAfter(t, (rows) => [...rows, rows[0], ['1.2.10', '2', 'open', 'Not yet.', '']]);
  assert.deepEqual(faults, [
    'quality/asvs.tsv:255: 1.1.1: is already answered',
    'quality/asvs.tsv:256: 1.2.10: is no requirement of level 1 or 2',
  ]);
});

test('a requirement that is met without a proof, or with one that does not exist, is reported', (t) => {
  const faults = faultsAfter(t, (rows) => {
    rowOf(rows, '1.1.1')[2] = 'met';
    rowOf(rows, '1.1.2').splice(2, 3, 'met', 'Somehow.', 'src/none.rs::it_is_met');
  });
  assert.deepEqual(faults, [
    'quality/asvs.tsv:2: 1.1.1: has no proof',
    'quality/asvs.tsv:3: 1.1.2: there is no src/none.rs::it_is_met',
  ]);
});

test('another level, another answer and a missing explanation are reported', (t) => {
  const faults = faultsAfter(t, (rows) => void rowOf(rows, '1.1.1').splice(1, 3, '1', 'partly', ''));
  assert.deepEqual(faults, [
    'quality/asvs.tsv:2: 1.1.1: is of level 2',
    'quality/asvs.tsv:2: 1.1.1: the answer must be one of met, open, not applicable',
    'quality/asvs.tsv:2: 1.1.1: does not say how or why',
  ]);
});
