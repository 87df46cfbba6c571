import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committed } from './fixture.mjs';
import { glossaryFaults } from './glossary.mjs';

const LINKS = '[a](docs/glossary.md) [b](docs/decisions.md) [c](docs/wire.md)\n';
const table = (...rows) => ['| Term | Definition | In the code |', '| --- | --- | --- |', ...rows, ''].join('\n');

const faultsOf = (t, page, architecture = LINKS) =>
  glossaryFaults(
    committed(t, {
      'ARCHITECTURE.md': architecture,
      'docs/glossary.md': page,
      'crates/a/src/lib.rs': 'struct Device; // OEM::Admin\n',
    }),
  );

test('a term whose name occurs in the code is accepted', (t) => {
  const page = table('| device | A diffuser. | `Device` |', '| provider | A role. | `OEM::Admin` |');
  assert.deepEqual(faultsOf(t, page), []);
});

test('a term without a name in the code is reported', (t) => {
  const page = table('| device | A diffuser. | `Gadget` |', '| event | A message. |  |');
  assert.deepEqual(faultsOf(t, page), [
    "docs/glossary.md:3: device: no code has the name 'Gadget'",
    'docs/glossary.md:4: event: the name in the code is missing',
  ]);
});

test('a second meaning of a term is reported, and a second term with the same name in the code', (t) => {
  const page = table('| device | A diffuser. | `Device` |', '| device | A phone. | `OEM` |', '| unit | A device. | `Device` |');
  assert.deepEqual(faultsOf(t, page), [
    'docs/glossary.md:4: device stands there twice',
    'docs/glossary.md:5: `Device` stands there twice',
  ]);
});

test('a page without a link in ARCHITECTURE.md is reported', (t) => {
  const faults = faultsOf(t, table(), LINKS.replace('docs/wire.md', 'wire.md'));
  assert.deepEqual(faults, ['ARCHITECTURE.md: no link to docs/wire.md']);
});
