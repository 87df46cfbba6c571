import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { documentFaults } from './documents.mjs';
import { committed } from './fixture.mjs';

const faultsOf = (t, files) => documentFaults(committed(t, files));
const threats = (proof) => `| Who | Wants to | Proof |\n| --- | --- | --- |\n| Anybody | guess | ${proof} |\n`;

test('the documents of this repository are short and name their proofs', () => {
  assert.deepEqual(documentFaults(fileURLToPath(new URL('../..', import.meta.url))), []);
});

test('more lines, entries and pages than the budget are reported', (t) => {
  const pages = Array.from({ length: 9 }, (_, number) => [`docs/adr/000${number}-a.md`, 'text\n']);
  const files = {
    'docs/a.tsv': 'row\n'.repeat(3400),
    'docs/performance.md': 'row\n'.repeat(121),
    'docs/a.webp': 'line\n'.repeat(9000),
    'CHANGELOG.md': `# Changelog\n\n## 0.1.0\n${'- text\n'.repeat(25)}\n## 0.0.1\n`,
    ...Object.fromEntries(pages),
  };
  assert.deepEqual(faultsOf(t, files), [
    'lines of docs/: 3530, at most 3500',
    'lines of docs/performance.md: 121, at most 120',
    'lines of 0.1.0 in CHANGELOG.md: 27, at most 25',
    'pages of docs/adr: 9, at most 8',
  ]);
});

test('tables of options, explained alarms and denials are reported', (t) => {
  const files = {
    'ops/prometheus/rules.yml': '- alert: SillageLate\n',
    'docs/a.md': '| `--listen` | address |\n| `SILLAGE_LISTEN` | address |\nSillageLate means that it is late.\nUse `--listen`.\n',
    'docs/b.md': 'There is no second factor yet.\n',
  };
  assert.deepEqual(faultsOf(t, files), [
    'docs/a.md:1: a table of options; they are described where the program declares them',
    'docs/a.md:2: a table of options; they are described where the program declares them',
    'docs/a.md:3: names an alarm; its description is in ops/prometheus/rules.yml',
    'docs/b.md:1: says what there is not yet; say what there is',
  ]);
});

test('a threat without a proof that exists is reported', (t) => {
  const code = { 'src/a.rs': '#[test]\nfn it_is_met() {}\n' };
  assert.deepEqual(faultsOf(t, { ...code, 'SECURITY.md': threats('`src/a.rs::it_is_met` ; `src/a.rs`') }), []);
  assert.deepEqual(faultsOf(t, { ...code, 'SECURITY.md': threats('`src/a.rs::another`') }), [
    'SECURITY.md:3: there is no src/a.rs::another',
  ]);
  assert.deepEqual(faultsOf(t, { ...code, 'SECURITY.md': threats('') }), ['SECURITY.md:3: has no proof']);
  assert.deepEqual(faultsOf(t, { 'SECURITY.md': 'text\n' }), ['SECURITY.md: no table of threats with a column Proof']);
});
