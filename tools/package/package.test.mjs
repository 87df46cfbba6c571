// The package of the client library, as a registry would get it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARY = join(ROOT, 'crates/devicecloud');
const MAX_CRATES = 100;
/** Each must compile without warnings. The default and all features are checked with the workspace. */
const COMBINATIONS = ['', 'rustls-ring', 'http2', 'stream', 'managers', 'testing', 'rustls-ring,stream'];

const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], ...options });
const cargo = (...args) => run('cargo', args);

let folder;
let unpacked;
let files;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'devicecloud-'));
  cargo('package', '--package', 'devicecloud', '--locked', '--allow-dirty', '--no-verify');
  const { target_directory: target, packages } = JSON.parse(
    cargo('metadata', '--no-deps', '--locked', '--format-version', '1'),
  );
  const name = `devicecloud-${packages.find((it) => it.name === 'devicecloud').version}`;
  run('tar', ['-xf', join(target, 'package', `${name}.crate`), '-C', folder]);
  unpacked = join(folder, name);
  files = run('find', ['.', '-type', 'f'], { cwd: unpacked })
    .trim()
    .split('\n')
    .map((path) => path.slice('./'.length));
});

after(() => rmSync(folder, { recursive: true, force: true }));

test('the package contains licences, README, book chapter and CHANGELOG, and only sources beside them', () => {
  const originals = {
    'LICENSE-APACHE': join(ROOT, 'LICENSE-APACHE'),
    'LICENSE-MIT': join(ROOT, 'LICENSE-MIT'),
    'README.md': join(LIBRARY, 'README.md'),
    'FIVE-MINUTES': join(ROOT, 'docs/devicecloud-in-five-minutes.md'),
    'CHANGELOG.md': join(LIBRARY, 'CHANGELOG.md'),
  };
  for (const [name, original] of Object.entries(originals)) {
    assert.equal(readFileSync(join(unpacked, name), 'utf8'), readFileSync(original, 'utf8'), name);
  }
  const metadata = ['Cargo.toml', 'Cargo.toml.orig', 'Cargo.lock', '.cargo_vcs_info.json'];
  const others = files.filter(
    (path) => !/^(src|examples)\/.+\.rs$/.test(path) && !metadata.includes(path) && !/^[A-Z-]+(\.md)?$/.test(path),
  );
  assert.deepEqual(others, []);
  assert.ok(files.includes('src/lib.rs'), 'the sources are in it');
});

test('the manifest describes the crate and how docs.rs builds it', () => {
  const manifest = readFileSync(join(unpacked, 'Cargo.toml'), 'utf8');
  for (const key of ['description', 'documentation', 'license', 'readme', 'rust-version', 'keywords', 'categories']) {
    assert.match(manifest, new RegExp(`^${key} = `, 'm'));
  }
  assert.match(manifest, /\[package\.metadata\.docs\.rs\]\nall-features = true/);
});

test('the package builds on its own with the declared Rust version', () => {
  const declared = /^rust-version = "(.+)"$/m.exec(readFileSync(join(unpacked, 'Cargo.toml'), 'utf8'))[1];
  assert.match(run('rustc', ['--version']), new RegExp(`^rustc ${declared.replaceAll('.', '\\.')}\\.`));
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  cargo('check', '--locked', '--quiet', '--manifest-path', join(unpacked, 'Cargo.toml'), '--target-dir', target);
});

test('the examples in the documentation of the package compile and run on their own', () => {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, 'target');
  for (const features of [[], ['--all-features']]) {
    const args = ['test', '--doc', '--locked', '--quiet', '--manifest-path', join(unpacked, 'Cargo.toml')];
    cargo(...args, '--target-dir', target, ...features);
  }
});

test('every combination of features compiles without warnings', () => {
  for (const features of COMBINATIONS) {
    const args = ['clippy', '--package', 'devicecloud', '--locked', '--quiet', '--no-default-features'];
    cargo(...args, '--features', features, '--', '-D', 'warnings');
  }
});

test('the default tree has at most 100 crates', () => {
  const tree = ['tree', '--package', 'devicecloud', '--locked', '--edges', 'normal', '--prefix', 'none'];
  const crates = new Set(
    cargo(...tree)
      .trim()
      .split('\n')
      .map((line) => line.split(' ').slice(0, 2).join(' ')),
  );
  assert.ok([...crates].some((name) => name.startsWith('tokio ')), 'it lists crates');
  assert.ok(crates.size <= MAX_CRATES, `${crates.size} crates:\n${[...crates].join('\n')}`);
});
