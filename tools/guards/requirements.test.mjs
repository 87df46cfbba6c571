import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CASES } from './cases.mjs';
import { repository } from './fixture.mjs';
import { requirementFaults } from './requirements.mjs';

const WIRE = 'crates/devicecloud/tests/wire.rs';
const CALLS = 'requests_are_emitted_and_responses_are_read';
const FILES = {
  [WIRE]: `#[tokio::test]\nasync fn ${CALLS}() {}\n`,
  'crates/devicecloud/tests/cases/roles.rs': '        "roles/assign_label": |client| client.roles(),\n',
  'e2e/tests/help.spec.ts': "test('the help is there', async () => {});\n",
};
const ROWS = [
  ['C-1', 'There is help.', 'A-17: e2e/tests/help.spec.ts::the help is there', ''],
  ['L-1', 'Roles have labels.', `${WIRE}::${CALLS}`, `wire.rs::${CALLS}[roles/assign_label]`],
];

/** The faults of this table in the small repository, without the path and the number of the line. */
function faultsOf(t, rows) {
  const lines = [['id', 'requirement', 'proof', 'case'], ...rows].map((cells) => cells.join('\t'));
  const root = repository(t, { ...FILES, 'quality/requirements.tsv': `${lines.join('\n')}\n` });
  return requirementFaults(root).map((fault) => fault.replace(/^quality\/requirements.tsv:\d+: /, ''));
}

test('a table whose proofs exist is accepted', (t) => {
  assert.deepEqual(faultsOf(t, ROWS), []);
});

test('a requirement that occurs twice is reported', (t) => {
  assert.deepEqual(faultsOf(t, [...ROWS, ROWS[0]]), ['C-1: is already on line 2']);
});

test('a proof in a file that does not exist is reported', (t) => {
  const rows = [['C-1', 'There is help.', 'e2e/tests/none.spec.ts::the help is there', ''], ROWS[1]];
  assert.deepEqual(faultsOf(t, rows), ['C-1: there is no file e2e/tests/none.spec.ts']);
});

test('a test that is not in its file is reported', (t) => {
  const rows = [['C-1', 'There is help.', 'e2e/tests/help.spec.ts::the help is', ''], ROWS[1]];
  assert.deepEqual(faultsOf(t, rows), ["C-1: e2e/tests/help.spec.ts has no test 'the help is'"]);
});

test('a case that is not in its test is reported', (t) => {
  const row = ['L-1', 'Roles have labels.', `${WIRE}::${CALLS}`, `wire.rs::${CALLS}[roles/revoke_label]`];
  assert.deepEqual(faultsOf(t, [ROWS[0], row]), [`L-1: ${WIRE}::${CALLS} has no case 'roles/revoke_label'`]);
});

test('a table-driven test without a case is reported', (t) => {
  const row = ['L-1', 'Roles have labels.', `${WIRE}::${CALLS}`, ''];
  assert.deepEqual(faultsOf(t, [row]), [`L-1: ${CALLS} is table-driven, but no case is named`]);
});

test('a case of a test that the row does not cite is reported', (t) => {
  const row = [...ROWS[0].slice(0, 3), ROWS[1][3]];
  const fault = `C-1: the case ${ROWS[1][3]} is not of a table-driven proof of this row`;
  assert.deepEqual(faultsOf(t, [row]), [fault]);
});

test('a row with missing cells is reported', (t) => {
  assert.deepEqual(faultsOf(t, [['C-1', 'There is help.']]), ['2 cells, expected 4', 'C-1: has no proof']);
});

test('every table-driven test of this repository has its cases', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  for (const [proof, casesOf] of Object.entries(CASES)) {
    assert.notEqual(casesOf(root, ...proof.split('::')).length, 0, proof);
  }
});
