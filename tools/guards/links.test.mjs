import assert from 'node:assert/strict';
import { test } from 'node:test';
import { committed } from './fixture.mjs';
import { linkFaults } from './links.mjs';

const PAGE = '# Wire\n\n## Device data, again\n\n## `GET /x` in use\n\n## Twice\n\n## Twice\n\n<a id="old"></a>\n';

const faultsOf = (t, files) => linkFaults(committed(t, { 'wire.md': PAGE, 'data.tsv': '', ...files }));

test('links to files, headings and other sites are accepted', (t) => {
  const page = `# A page
[file](data.tsv) [folder](.) [page](wire.md) [heading](wire.md#device-data-again) [code](wire.md#get-x-in-use)
[second](wire.md#twice-1) [anchor](wire.md#old) [here](#a-page) [site](https://example.org/x.md#y) [mail](mailto:a@b.org)
![picture](data.tsv "A title") [by reference][1] <img src="data.tsv">

[1]: wire.md#twice
`;
  assert.deepEqual(faultsOf(t, { 'a.md': page }), []);
});

test('a link to a missing file or heading is reported with its line', (t) => {
  const page = `# A page
[file](none.md) [heading](wire.md#users)
![picture](none.png "A title")
<img src="none.webp">

[1]: none.txt
[here](#another-page) [second](wire.md#twice-2)
`;
  assert.deepEqual(faultsOf(t, { 'sub/a.md': page.replaceAll('wire.md', '../wire.md') }), [
    'sub/a.md:2: none.md: no such file',
    'sub/a.md:2: ../wire.md#users: no such heading',
    'sub/a.md:3: none.png: no such file',
    'sub/a.md:4: none.webp: no such file',
    'sub/a.md:6: none.txt: no such file',
    'sub/a.md:7: #another-page: no such heading',
    'sub/a.md:7: ../wire.md#twice-2: no such heading',
  ]);
});

test('a link out of the repository is reported', (t) => {
  assert.deepEqual(faultsOf(t, { 'a.md': '[b](../b.md)\n' }), ['a.md:1: ../b.md: outside the repository']);
});

test('code is neither a link nor a heading', (t) => {
  const page = 'A `[link](none.md)`.\n\n```text\n# Title\n[link](none.md)\n```\n[title](#title)\n';
  assert.deepEqual(faultsOf(t, { 'a.md': page }), ['a.md:7: #title: no such heading']);
});

test('a page of docs that the summary does not list is reported', (t) => {
  const files = { 'docs/SUMMARY.md': '- [A](a.md)\n- [Commands](reference/commands.md)\n', 'docs/a.md': '', 'docs/b.md': '' };
  assert.deepEqual(faultsOf(t, files), ['docs/b.md: docs/SUMMARY.md does not list this page']);
});
