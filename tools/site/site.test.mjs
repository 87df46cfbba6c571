import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { repository } from '../guards/fixture.mjs';
import { apiPage } from './api.mjs';
import { assemble } from './assemble.mjs';
import { commandsPage } from './commands.mjs';
import { configurationPage } from './configuration.mjs';
import { deadLinks } from './dead-links.mjs';

test('pages from the whole repository get links that fit the site', (t) => {
  const root = repository(t, {
    'docs/SUMMARY.md': '# Summary\n\n[Start](README.md)\n\n- [A](how/a.md)\n- [Wire](../wire.md)\n- [API](ref/api.md)\n',
    'docs/README.md': '[a](how/a.md) [folder](../crates) [library](../crates/lib) [site](https://example.org/b.md)\n',
    'docs/how/a.md': '[start](../README.md#top) [wire](../../wire.md#x) [data](../../data.tsv) ![](../p.webp)\n',
    'docs/p.webp': '',
    'wire.md': '[API](docs/ref/api.md) [here](#x)\n\n```text\n[a](none.md)\n```\n',
    'crates/lib/src.rs': '',
    'data.tsv': 'id\n',
  });
  const folder = join(root, 'out');
  assemble(root, folder, new Map([['docs/ref/api.md', '[start](../README.md)\n']]));
  const read = (path) => readFileSync(join(folder, path), 'utf8');
  assert.match(read('SUMMARY.md'), /\[Start\]\(index\.md\)[^]*\(how\/a\.md\)[^]*\(repository\/wire\.md\)[^]*\(ref\/api\.md\)/);
  assert.equal(read('index.md'), '[a](how/a.md) folder library [site](https://example.org/b.md)\n');
  assert.equal(
    read('how/a.md'),
    '[start](../index.md#top) [wire](../repository/wire.md#x) [data](../repository/data.tsv) ![](../p.webp)\n',
  );
  assert.equal(read('repository/wire.md'), '[API](../ref/api.md) [here](#x)\n\n```text\n[a](none.md)\n```\n');
  assert.equal(read('ref/api.md'), '[start](../index.md)\n');
  assert.equal(read('repository/data.tsv'), 'id\n');
  assert.ok(existsSync(join(folder, 'p.webp')));
});

test('a page that is linked but not listed fails the site', (t) => {
  const root = repository(t, { 'docs/SUMMARY.md': '[A](a.md)\n', 'docs/a.md': '[b](../b.md)\n', 'b.md': '' });
  assert.throws(() => assemble(root, join(root, 'out'), new Map()), /docs\/a\.md links to b\.md/);
});

test('every command of the program has its help on the page', () => {
  const helps = {
    '': 'About.\n\nCommands:\n  cloud  Run\n  help   Print\n\nOptions:\n  -h\n',
    cloud: 'Cloud.\n\nCommands:\n  device-list  List\n  help         Print\n',
    'cloud device-list': 'Lists.\n',
  };
  const text = commandsPage((...words) => helps[words.slice(0, -1).join(' ')]);
  assert.deepEqual(text.match(/^#+ .*/gm), [
    '# Command line',
    '## `sillage`',
    '### `sillage cloud`',
    '#### `sillage cloud device-list`',
  ]);
  assert.match(text, /```text\nLists\.\n```/);
});

/** A program with settings, whose help of `cloud` has the long form and that of `demo` the short one. */
const configurable = {
  '--help': 'About.\n\nCommands:\n  cloud  Run\n  demo   Show\n\nSet SILLAGE_LOG to filter the log.\n',
  'cloud --help': [
    'Run',
    'Options:',
    '      --listen <HOST:PORT>\n          Address\n          \n          [default: 127.0.0.1:80]\n',
    '      --app-id <ID>\n          The id of SILLAGE_CONFIG\n          \n          [env: APP=]\n',
    '      --proxy <ADDRESS>\n          Trusted [default: this machine]\n',
    '  -q, --quiet\n          Less\n',
    'E-mail:',
    '      --smtp-from <ADDRESS>\n          Sender\n',
  ].join('\n'),
  'demo --help': 'Show\n\nOptions:\n      --seed <A|B>  Seed [env: SILLAGE_SEED=] [default: 1]\n  -h, --help    Print help\n',
  'config example': [
    '# About the file\n\n[cloud]\n\n# Address\n#listen = "127.0.0.1:80"',
    '# The id of SILLAGE_CONFIG\n# [required]\n#app-id = "ID"\n\n# Trusted [default: this machine]\n#proxy = ["ADDRESS"]',
    '# Less\n#quiet = false\n\n## E-mail\n\n# Sender, "A <a@b>", see --app-id\n#smtp-from = "ADDRESS"\n',
  ].join('\n\n'),
};

test('every setting is on the page with its key, option, variables, default and explanation', () => {
  const text = configurationPage((...words) => configurable[words.join(' ')]);
  for (const row of [
    '| `listen`<br>`--listen HOST:PORT`<br>`SILLAGE_LISTEN` | Address<br>Default: `127.0.0.1:80` |',
    '| `app-id`<br>`--app-id ID`<br>`SILLAGE_APP_ID`<br>`APP` | The id of `SILLAGE_CONFIG`<br>Required |',
    '| `proxy`<br>`--proxy ADDRESS`<br>`SILLAGE_PROXY` | Trusted<br>Default: this machine |',
    '| `quiet`<br>`--quiet`<br>`SILLAGE_QUIET` | Less<br>Default: `false` |',
    '| `smtp-from`<br>`--smtp-from ADDRESS`<br>`SILLAGE_SMTP_FROM` | Sender, "A &lt;a@b>", see `--app-id` |',
    '| `sillage demo` | `--seed A\\|B`<br>`SILLAGE_SEED` | Seed<br>Default: 1 |',
  ])
    assert.ok(text.includes(`\n${row}\n`), `${row} in\n${text}`);
  assert.match(text, /## `sillage cloud`, section `\[cloud\]`[^]*`quiet`[^]*### E-mail[^]*`smtp-from`[^]*## Other variables[^]*`SILLAGE_LOG`/);
});

test('a variable that the page about the configuration does not explain fails the site', () => {
  const help = { ...configurable, 'demo --help': 'Show what SILLAGE_SECRET hides\n' };
  assert.throws(() => configurationPage((...words) => help[words.join(' ')]), /does not explain SILLAGE_SECRET/);
});

test('operations and schemas of the API are on the page', () => {
  const text = apiPage({
    info: { version: '1' },
    paths: {
      '/api/things/{id}': {
        get: {
          tags: ['big-things'],
          summary: 'Returns a thing.',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 9 } }],
          responses: { 200: { description: 'A|B', content: { 'application/json': { schema: { $ref: '#/a/b/Thing' } } } } },
        },
      },
    },
    components: { schemas: { Thing: { type: 'object', required: ['a'], properties: { a: { type: ['integer', 'null'] } } } } },
  });
  assert.match(text, /## Big things\n\n### `GET \/api\/things\/\{id\}`\n\nReturns a thing\./);
  assert.match(text, /\| `id` \(required\) \| path \| string \(at most 9 characters\) \|/);
  assert.match(text, /\| 200 \| A\\\|B \| application\/json: \[Thing\]\(#schema-thing\) \|/);
  assert.match(text, /### Thing \{#schema-thing\}[^]*\| `a` \| integer or null \|/);
});

test('dead links of the built site are found', (t) => {
  const root = repository(t, {
    'index.html': '<h1 id="top"></h1><a href="a/b.html#x">b</a> <a href="#top">t</a> <img src="p.webp"> <a href="https://e.org">e</a>',
    'a/b.html': '<a id="x" href="../index.html">i</a> <a href="../">i</a> <a href="../index.html#bottom">b</a> <a href="c.html">c</a>',
  });
  assert.deepEqual(deadLinks(root), ['index.html: p.webp', 'a/b.html: ../index.html#bottom', 'a/b.html: c.html']);
});
