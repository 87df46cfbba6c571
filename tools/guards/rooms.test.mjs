import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { committed } from './fixture.mjs';
import { roomFaults } from './rooms.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATH = 'web/src/domain/rule.ts';
const faultsOf = (t, text, path = PATH) => roomFaults(committed(t, { [path]: text }));
const files = (folder, count) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}/file-${index}.ts`, '']));

test('features and ui of this repository have few files outside of folders, and its domain does not use the browser', () => {
  assert.deepEqual(roomFaults(ROOT), []);
});

test('a seventh file directly in a feature or in ui is reported', (t) => {
  const fault = (folder) => [`${folder}: 7 files, at most 6; move some into its folders`];
  for (const folder of ['web/src/features/devices', 'web/src/ui']) {
    assert.deepEqual(roomFaults(committed(t, files(folder, 7))), fault(folder));
    assert.deepEqual(roomFaults(committed(t, { ...files(folder, 6), ...files(`${folder}/list`, 7) })), []);
  }
});

test('other folders may have more files', (t) => {
  assert.deepEqual(roomFaults(committed(t, { ...files('web/src/domain', 7), ...files('web/src/app', 7) })), []);
});

test('each global of the browser is reported with its line', (t) => {
  for (const name of ['document', 'window', 'sessionStorage', 'localStorage', 'navigator']) {
    const fault = (line) => `${PATH}:${line}: ${name}; web/src/browser uses the browser`;
    const lines = ['type A = 1;', `const a = ${name}.title;`, `const b = [...${name}.c, \`\${${name}}\`];`, `globalThis.${name};`];
    assert.deepEqual(faultsOf(t, lines.join('\n')), [fault(2), fault(3), fault(3), fault(4)]);
    assert.deepEqual(faultsOf(t, `const a = b ? ${name} : typeof ${name};`), [fault(1), fault(1)]);
  }
});

test('properties, texts, comments and other names are accepted, and so are tests and other folders', (t) => {
  const lines = [
    '// The window of a document.',
    'const days = { window: 7, document: null };',
    "const text = `${days.window} ${windowed}` + 'in a document';",
    'interface Days { window?: number }',
  ];
  assert.deepEqual(faultsOf(t, lines.join('\n')), []);
  assert.deepEqual(faultsOf(t, 'document.title;', 'web/src/domain/rule.test.ts'), []);
  assert.deepEqual(faultsOf(t, 'document.title;', 'web/src/browser/title.ts'), []);
});
