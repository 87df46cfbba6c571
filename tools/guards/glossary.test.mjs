import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
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

test('the glossary of this repository has each term and each name once, and no word names two types', () => {
  assert.deepEqual(glossaryFaults(fileURLToPath(new URL('../..', import.meta.url))), []);
});

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

test('a word that two types have as their name is reported', (t) => {
  const files = {
    'ARCHITECTURE.md': LINKS,
    'docs/glossary.md': table(),
    'crates/a/src/lib.rs': 'pub(crate) struct Session;\nstruct SessionRow;\ntype Row = (String, String);\n',
    'crates/a/src/other.rs': 'fn f() {\n    struct Row;\n}\n',
    'crates/b/src/lib.rs': '/// struct Session\npub enum Session {}\n',
  };
  assert.deepEqual(glossaryFaults(committed(t, files)), [
    'crates/b/src/lib.rs: Session is another type in crates/a/src/lib.rs; qualify it',
  ]);
});
