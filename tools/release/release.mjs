// Makes a release of the version in Cargo.toml: checks, packages, verifies the packages, and as the last step tags the commit. Pushes
// nothing. A fault is a sentence, and leaves no tag.
// usage: node tools/release/release.mjs, in the root of the repository
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PACKAGES = 'target/package';
const SUMS = 'SHA256SUMS';
const BILLS = ['sillage.cdx.json', 'sillage-web.cdx.json'];
/** Crates with a version of their own: the client library follows its API, and the fuzz targets are not released. */
const OTHER_VERSIONS = ['devicecloud', 'fuzz'];

class Fault extends Error {}
const fail = (text) => {
  throw new Fault(text);
};

const run = (command, args, options) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options }).trim();
const git = (...args) => run('git', args);
const read = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : fail(`${path} is missing.`));
const readJson = (path) => JSON.parse(read(path));

function workspaceVersion() {
  const section = /^\[workspace\.package\]\n((?:(?!\[).*\n)*)/m.exec(read('Cargo.toml'))?.[1] ?? '';
  return /^version = "(.+)"$/m.exec(section)?.[1] ?? fail('Cargo.toml has no version in [workspace.package].');
}

/** The crates of this repository in a lock file, as [name, version]: packages without a source. */
function ownCrates(lock) {
  const packages = read(lock).split('[[package]]\n').slice(1).filter((text) => !/^source = /m.test(text));
  return packages.map((text) => ['name', 'version'].map((key) => new RegExp(`^${key} = "(.+)"$`, 'm').exec(text)[1]));
}

/** Each place that names the version, as [place, version]. */
function versions() {
  const crates = ['Cargo.lock', 'fuzz/Cargo.lock'].flatMap((lock) =>
    ownCrates(lock)
      .filter(([name]) => !OTHER_VERSIONS.includes(name))
      .map(([name, version]) => [`${lock} (${name})`, version]),
  );
  const packages = ['web', 'e2e'].flatMap((folder) => {
    const lock = readJson(`${folder}/package-lock.json`);
    return [
      [`${folder}/package.json`, readJson(`${folder}/package.json`).version],
      [`${folder}/package-lock.json`, lock.version],
      [`${folder}/package-lock.json (packages)`, lock.packages[''].version],
    ];
  });
  return [...crates, ...packages, ['api/openapi.json', readJson('api/openapi.json').info.version]];
}

/** The text of the version's section of the changelog. */
function changes(version) {
  const [, ...sections] = `\n${read('CHANGELOG.md')}`.split('\n## ');
  const section = sections.find((text) => text.startsWith(`${version}\n`)) ?? fail(`CHANGELOG.md has no section "## ${version}".`);
  return section.slice(version.length).trim() || fail(`The section "## ${version}" of CHANGELOG.md is empty.`);
}

function checkTree() {
  const status = git('status', '--porcelain');
  if (status) fail(`The work tree is not clean; commit or remove these files first:\n${status}`);
}

/** Checks that the repository is ready for a release of this version, and returns the message of its tag. */
function checkRepository(version, tag) {
  checkTree();
  for (const [place, found] of versions())
    if (found !== version) fail(`${place} has version ${found}, but Cargo.toml has ${version}.`);
  if (git('tag', '--list', tag)) fail(`The tag ${tag} exists already; give the next release its version first.`);
  return `Sillage ${version}\n\n${changes(version)}\n`;
}

/** Makes the packages, and returns their file names. */
function makePackages(version) {
  const all = () =>
    (existsSync(PACKAGES) ? readdirSync(PACKAGES) : []).filter((name) => /^sillage[-_]/.test(name) && name.includes(version));
  for (const name of all()) rmSync(join(PACKAGES, name));
  try {
    // Its output goes to standard error.
    execFileSync('make', ['deb'], { stdio: ['ignore', 2, 2] });
  } catch {
    fail('`make deb` failed; its last lines say why.');
  }
  return ['.deb', '.tar.gz'].map(
    (ending) => all().find((name) => name.endsWith(ending)) ?? fail(`\`make deb\` made no ${ending} of ${version} in ${PACKAGES}.`),
  );
}

function unpack(name, folder) {
  const path = join(PACKAGES, name);
  if (name.endsWith('.deb')) run('dpkg-deb', ['--extract', path, folder]);
  else run('tar', ['-xzf', path, '-C', folder]);
}

/** Checks that a package contains the program of this version and commit, and the bills of materials. */
function checkPackage(name, version, commit) {
  const folder = mkdtempSync(join(tmpdir(), 'sillage-release-'));
  try {
    unpack(name, folder);
    const files = readdirSync(folder, { recursive: true });
    const find = (ending) =>
      join(folder, files.find((file) => file.endsWith(ending)) ?? fail(`${name} does not contain ${ending.slice(1)}.`));
    const said = run(find('/bin/sillage'), ['--version']);
    const expected = `sillage ${version} (${commit})`;
    if (said !== expected) fail(`The program in ${name} says "${said}" instead of "${expected}".`);
    for (const bill of BILLS) if (!readJson(find(`/${bill}`)).components?.length) fail(`${bill} in ${name} lists nothing.`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function release() {
  const version = workspaceVersion();
  const tag = `v${version}`;
  const message = checkRepository(version, tag);
  const head = git('rev-parse', 'HEAD');
  const packages = makePackages(version);
  writeFileSync(join(PACKAGES, SUMS), `${run('sha256sum', packages, { cwd: PACKAGES })}\n`);
  for (const name of packages) checkPackage(name, version, run('packaging/commit', []));
  run('sha256sum', ['--check', '--strict', '--quiet', SUMS], { cwd: PACKAGES });
  checkTree();
  if (git('rev-parse', 'HEAD') !== head) fail('Another commit was checked out while the packages were made.');
  // Lines of the changelog may begin with #.
  run('git', ['tag', '--annotate', '--cleanup=verbatim', '--file=-', tag, head], { input: message, stdio: ['pipe', 'pipe', 'inherit'] });
  return `Tagged ${tag}. Publish it with \`git push origin ${tag}\`, and these files of ${PACKAGES}:\n${[...packages, SUMS].join('\n')}`;
}

try {
  console.log(release());
} catch (fault) {
  if (!(fault instanceof Fault)) throw fault;
  console.error(`release: ${fault.message}`);
  process.exitCode = 1;
}
