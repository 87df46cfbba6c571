// `make release` in a small repository, in which only the build of the packages is simulated.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCRIPT = fileURLToPath(new URL('release.mjs', import.meta.url));
const CHANGES = '- **Cloud**: devices connect.\n\n# A heading\n- Console.';
const LOCK = (version) => `[[package]]\nname = "cloud"\nversion = "${version}"\n\n[[package]]\nname = "serde"\nversion = "1.0.0"\nsource = "registry"\n`;
const PACKAGE = { version: '0.1.0', packages: { '': { version: '0.1.0' } } };

/** Makes packages of a script that prints SAYS, or the version and commit. */
const MAKEFILE = `deb:
	mkdir -p target/tree/bin target/tree/sbom target/deb/usr/bin target/deb/usr/share/doc target/deb/DEBIAN target/package
	echo "echo \\"sillage $\${SAYS:-0.1.0 ($$(packaging/commit))}\\"" > target/tree/bin/sillage
	chmod 755 target/tree/bin/sillage
	for bill in sillage sillage-web; do echo "{\\"components\\":[$\${COMPONENTS-1}]}" > target/tree/sbom/$$bill.cdx.json; done
	cp target/tree/bin/sillage target/deb/usr/bin
	cp target/tree/sbom/*.json target/deb/usr/share/doc
	printf 'Package: sillage\\nVersion: 0.1.0\\nArchitecture: all\\nMaintainer: A <a@example.com>\\nDescription: S\\n' > target/deb/DEBIAN/control
	tar -czf target/package/sillage-0.1.0-linux-x86_64.tar.gz -C target tree
	dpkg-deb --build target/deb target/package/sillage_0.1.0_all.deb >/dev/null
	$\${AFTER:-true}
`;

const FILES = {
  '.gitignore': '/target\n',
  Makefile: MAKEFILE,
  'Cargo.toml': '[workspace]\n\n[workspace.package]\nedition = "2024"\nversion = "0.1.0"\n\n[workspace.dependencies]\nserde = "1"\n',
  'Cargo.lock': LOCK('0.1.0'),
  'fuzz/Cargo.lock': LOCK('0.1.0'),
  'CHANGELOG.md': `# Changelog\n\n## 0.1.0\n\n${CHANGES}\n\n## 0.0.9\n\nOlder.\n`,
  'api/openapi.json': JSON.stringify({ info: { version: '0.1.0' } }),
  ...Object.fromEntries(
    ['web', 'e2e'].flatMap((folder) => ['package.json', 'package-lock.json'].map((name) => [`${folder}/${name}`, JSON.stringify(PACKAGE)])),
  ),
};

class Repository {
  constructor(test) {
    this.root = mkdtempSync(join(tmpdir(), 'release-'));
    test.after(() => rmSync(this.root, { recursive: true }));
    for (const [path, text] of Object.entries(FILES)) this.write(path, text);
    mkdirSync(join(this.root, 'packaging'));
    copyFileSync(join(ROOT, 'packaging/commit'), join(this.root, 'packaging/commit'));
    chmodSync(join(this.root, 'packaging/commit'), 0o755);
    this.git('init', '--quiet');
    this.commit();
  }

  write(path, text) {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  run(command, args, variables = {}) {
    // Git hooks set GIT_DIR, and `make` passes its options on; neither belongs to this repository.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(GIT_|MAKE|MFLAGS)/.test(name)));
    const identity = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' };
    const settings = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    return spawnSync(command, args, { cwd: this.root, encoding: 'utf8', env: { ...env, ...identity, ...settings, ...variables } });
  }

  git(...args) {
    const { status, stdout, stderr } = this.run('git', args);
    assert.equal(status, 0, stderr);
    return stdout.trim();
  }

  commit() {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message=Change');
  }

  release(variables) {
    return this.run('node', [SCRIPT], variables);
  }

  /** Expects that no release is made, for this reason. */
  refuses(reason, variables) {
    const tags = this.git('tag', '--list');
    const { status, stderr } = this.release(variables);
    assert.equal(status, 1, stderr);
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /^\s+at /m, 'a sentence, no stack');
    assert.equal(this.git('tag', '--list'), tags);
  }
}

test('a release is packaged, verified and tagged with its changes', (t) => {
  const repository = new Repository(t);
  const { status, stdout, stderr } = repository.release();
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^Tagged v0\.1\.0\. Publish it with `git push origin v0\.1\.0`/);
  assert.equal(repository.git('cat-file', '-t', 'v0.1.0'), 'tag');
  assert.equal(repository.git('rev-parse', 'v0.1.0^{commit}'), repository.git('rev-parse', 'HEAD'));
  assert.equal(repository.git('for-each-ref', '--format=%(contents)', 'refs/tags/v0.1.0'), `Sillage 0.1.0\n\n${CHANGES}`);
  const sums = readFileSync(join(repository.root, 'target/package/SHA256SUMS'), 'utf8');
  assert.match(sums, /^[0-9a-f]{64} {2}sillage_0\.1\.0_all\.deb\n[0-9a-f]{64} {2}sillage-0\.1\.0-linux-x86_64\.tar\.gz\n$/);
  repository.refuses(/The tag v0\.1\.0 exists already/);
});

for (const [what, path, text, reason] of [
  ['without a section of the changelog', 'CHANGELOG.md', '# Changelog\n\n## 0.1.01\n\nText.\n', /CHANGELOG\.md has no section "## 0\.1\.0"/],
  ['with an empty section', 'CHANGELOG.md', '# Changelog\n\n## 0.1.0\n\n## 0.0.9\n\nText.\n', /The section "## 0\.1\.0" of CHANGELOG\.md is empty/],
  ['with another version of a crate', 'Cargo.lock', LOCK('0.0.9'), /Cargo\.lock \(cloud\) has version 0\.0\.9, but Cargo\.toml has 0\.1\.0/],
  ['with another version of the web', 'web/package.json', '{"version":"0.2.0"}', /web\/package\.json has version 0\.2\.0/],
  ['without a version', 'Cargo.toml', '[workspace]\n', /Cargo\.toml has no version/],
  ['that cannot be packaged', 'Makefile', 'deb:\n\tfalse\n', /`make deb` failed/],
  ['whose build makes no packages', 'Makefile', 'deb:\n\ttrue\n', /`make deb` made no \.deb of 0\.1\.0/],
])
  test(`a release ${what} is refused`, (t) => {
    const repository = new Repository(t);
    repository.write(path, text);
    repository.commit();
    repository.refuses(reason);
  });

test('a release of changed or unknown files is refused', (t) => {
  const repository = new Repository(t);
  repository.write('note.txt', 'text');
  repository.refuses(/The work tree is not clean.*\n\?\? note\.txt/);
  rmSync(join(repository.root, 'note.txt'));
  appendFileSync(join(repository.root, 'Cargo.toml'), '\n');
  repository.refuses(/The work tree is not clean/);
});

for (const [what, variables, reason] of [
  ['of another version', { SAYS: '0.0.9' }, /says "sillage 0\.0\.9" instead of "sillage 0\.1\.0 \([0-9a-f]{12}\)"/],
  ['without its commit', { SAYS: '0.1.0' }, /says "sillage 0\.1\.0" instead of/],
  ['with an empty bill of materials', { COMPONENTS: '' }, /sillage\.cdx\.json in .* lists nothing/],
  ['that changed the work tree', { AFTER: 'touch note.txt' }, /The work tree is not clean/],
  ['of another commit', { AFTER: 'git commit --quiet --allow-empty --message=Other' }, /instead of|Another commit was checked out/],
])
  test(`a build ${what} is not tagged`, (t) => new Repository(t).refuses(reason, variables));

test('the commit of a build says that files differ from it, and is empty for a source tarball', (t) => {
  const repository = new Repository(t);
  const commit = () => repository.run('packaging/commit', []).stdout.trim();
  assert.equal(commit(), repository.git('rev-parse', '--short=12', 'HEAD'));
  appendFileSync(join(repository.root, 'Cargo.toml'), '\n');
  assert.equal(commit(), `${repository.git('rev-parse', '--short=12', 'HEAD')}, modified`);
  rmSync(join(repository.root, '.git'), { recursive: true });
  assert.equal(commit(), '');
});
