import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { architectureFaults } from './architecture.mjs';
import { committed } from './fixture.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HEAD = ['# Architecture', '', '## Where do I change …', '', '| … | Server | Web |', '| --- | --- | --- |'];
const ROW = '| a field of a `Device` | `crates/a/src/lib.rs`, `crates/a/src` | [page](web/page.ts) |';
const ROWS = Array.from({ length: 10 }, () => ROW);

const page = (...lines) => `${lines.join('\n')}\n`;
const faultsOf = (t, text) =>
  architectureFaults(committed(t, { 'ARCHITECTURE.md': text, 'crates/a/src/lib.rs': '', 'web/page.ts': '' }));

test('ARCHITECTURE.md of this repository is short, and the paths of its tables exist', () => {
  assert.deepEqual(architectureFaults(ROOT), []);
  const lines = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').replace(/\n$/, '').split('\n');
  assert.ok(lines.length <= 120);
  assert.ok(lines.some((line) => line.startsWith('## Where do I change')));
});

test('a table of ten rows whose paths exist is accepted, on a page of 120 lines', (t) => {
  const filling = Array.from({ length: 120 - HEAD.length - ROWS.length }, () => '');
  assert.deepEqual(faultsOf(t, page(...HEAD, ...ROWS, ...filling)), []);
});

test('more than 120 lines are reported', (t) => {
  const filling = Array.from({ length: 121 - HEAD.length - ROWS.length }, () => 'text');
  assert.deepEqual(faultsOf(t, page(...HEAD, ...ROWS, ...filling)), ['ARCHITECTURE.md: 121 lines, at most 120']);
});

test('a table with fewer than ten rows is reported, and so is a missing one', (t) => {
  const fault = (rows) => `ARCHITECTURE.md: ${rows} rows in the table 'Where do I change', at least 10`;
  assert.deepEqual(faultsOf(t, page(...HEAD, ...ROWS.slice(1))), [fault(9)]);
  assert.deepEqual(faultsOf(t, page(...HEAD, ...ROWS.slice(1), '', '## Others', '', HEAD[4], HEAD[5], ROW)), [fault(9)]);
  assert.deepEqual(faultsOf(t, page('# Architecture')), [fault(0)]);
  assert.deepEqual(architectureFaults(committed(t, {})), [fault(0)]);
});

test('a path that does not exist is reported with its line', (t) => {
  const rows = ['| a page | `crates/a/src` | `web/none.ts`, [form](web/form/) |', ...ROWS];
  assert.deepEqual(faultsOf(t, page(...HEAD, ...rows)), [
    'ARCHITECTURE.md:7: there is no web/none.ts',
    'ARCHITECTURE.md:7: there is no web/form/',
  ]);
});

test('the last cell of a row without its closing line is checked, too', (t) => {
  const rows = ['| a page | `crates/a/src` | `web/none.ts`', ...ROWS];
  assert.deepEqual(faultsOf(t, page(...HEAD, ...rows)), ['ARCHITECTURE.md:7: there is no web/none.ts']);
});

test('a path that is only the beginning of an existing one is reported', (t) => {
  const rows = ['| a page | `crates/a/src/li`, `crates/a/src/` | |', ...ROWS];
  assert.deepEqual(faultsOf(t, page(...HEAD, ...rows)), ['ARCHITECTURE.md:7: there is no crates/a/src/li']);
});

test('a row without a path is reported, also in another table', (t) => {
  const others = ['', '## Others', '', HEAD[4], HEAD[5], '| `crates/a` | the server | |'];
  assert.deepEqual(faultsOf(t, page(...HEAD, ...ROWS, ...others)), ['ARCHITECTURE.md:22: names no path']);
});
