import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repository } from './fixture.mjs';
import { permissionFaults } from './permissions.mjs';

const faultsOf = (t, ...lines) =>
  permissionFaults(repository(t, { 'quality/permissions.tsv': ['kind\toperation\tbasis', ...lines, ''].join('\n') }));

test('an operation with two lines is reported', (t) => {
  const faults = faultsOf(t, 'screen\t/help\t1', 'button\t/help\t2', 'screen\t/help\t3');
  assert.deepEqual(faults, ["quality/permissions.tsv:4: 'screen /help' is already on line 2"]);
});

test('a console API operation is reported when lines with different remarks or methods repeat it', (t) => {
  const faults = faultsOf(
    t,
    'app-api\tPOST, PUT /api/x (all)\t1',
    'app-api\tPUT /api/x\t2',
    'app-api\tPUT /api/x: part\t3',
  );
  assert.deepEqual(faults, ["quality/permissions.tsv:3: 'app-api PUT /api/x' is already on line 2"]);
});

test('a line with a missing cell is reported', (t) => {
  assert.deepEqual(faultsOf(t, 'screen\t/help'), ['quality/permissions.tsv:2: 2 cells, expected 3']);
});
