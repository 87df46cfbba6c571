// The Debian package in a scratch root: dpkg installs it there, and its services run in it by the command lines of their units.
// Needs root, for chroot. SILLAGE_OLD_BINARY names the program of an earlier version, to upgrade from.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BINARY = process.env.SILLAGE_BINARY ?? join(ROOT, 'target/debug/sillage');
const OLD_BINARY = process.env.SILLAGE_OLD_BINARY ?? BINARY;
const UNITS = ['sillage-cloud', 'sillage-console'];
const ADMIN = { email: 'ada@example.com', password: 'Correct-Horse-1' };
const START_MS = 60_000;
const BILLS = ['sillage.cdx.json', 'sillage-web.cdx.json'];

let scratch;
let packages;
const running = [];

const run = (command, args, options) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', ...options });
const inside = (path) => join(scratch, path);
const read = (path) => readFileSync(inside(path), 'utf8');

before(() => {
  assert.equal(process.getuid(), 0, 'this test needs root');
  scratch = mkdtempSync(join(tmpdir(), 'sillage-deb-'));
  // The services' users need to enter it.
  chmodSync(scratch, 0o755);
  packages = join(scratch, 'packages');
  for (const folder of ['info', 'updates', 'triggers']) mkdirSync(inside(`var/lib/dpkg/${folder}`), { recursive: true });
  for (const file of ['status', 'available']) writeFileSync(inside(`var/lib/dpkg/${file}`), '');
  // Documents of a release are written by cargo-cyclonedx (packaging/sbom), which only a release needs.
  mkdirSync(inside('sbom'));
  for (const name of BILLS) writeFileSync(inside(`sbom/${name}`), '{}');
  mkdirSync(inside('tmp'));
  chmodSync(inside('tmp'), 0o1777);
  // What the package depends on: units of systemd, certificate authorities, and the libraries of the program.
  cpSync('/usr/lib/systemd/system', inside('usr/lib/systemd/system'), { recursive: true });
  cpSync('/etc/ssl/certs/ca-certificates.crt', inside('etc/ssl/certs/ca-certificates.crt'));
  for (const [library] of run('ldd', [BINARY]).matchAll(/\/\S+/g))
    cpSync(library, inside(library), { recursive: true, dereference: true });
});

after(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
});

const build = (binary, version) =>
  run('packaging/build', [binary, packages, version, 'deb'], {
    env: { ...process.env, SILLAGE_SBOM: inside('sbom') },
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();

/** Maintainer scripts run outside of the root, which they get as DPKG_ROOT; its dependencies are not installed as packages. */
const dpkg = (...args) =>
  run('dpkg', [`--root=${scratch}`, '--force-script-chrootless', '--force-depends', ...args], { stdio: 'pipe' });

function account(name) {
  const [, , uid, gid] = read('etc/passwd')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    .split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The settings of a unit's service. */
function service(unit) {
  const lines = read(`usr/lib/systemd/system/${unit}.service`).split('\n');
  const all = (name) => lines.filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));
  return { all, one: (name) => all(name)[0] };
}

/** The variables of an EnvironmentFile=. */
function variables(path) {
  const assignments = read(path).matchAll(/^([A-Z_]+)=(?:"(.*)"|(.*))$/gm);
  return Object.fromEntries([...assignments].map(([, name, quoted, plain]) => [name, quoted ?? plain]));
}

/** Starts a unit's command line in the scratch root as its user, as the service manager would. */
function start(unit) {
  const { one, all } = service(unit);
  const user = account(one('User'));
  const credentials = `run/credentials/${unit}`;
  rmSync(inside(credentials), { recursive: true, force: true });
  mkdirSync(inside(credentials), { recursive: true });
  for (const [name, path] of all('LoadCredential').map((credential) => credential.split(':')))
    cpSync(inside(path), inside(`${credentials}/${name}`));
  run('chown', ['-R', `${user.uid}:${user.gid}`, inside(credentials)]);
  const assigned = all('Environment').flatMap((line) => line.split(' ')).map((pair) => pair.split('='));
  const env = { ...Object.fromEntries(assigned), ...variables(one('EnvironmentFile')) };
  const words = one('ExecStart')
    .replaceAll('%d', `/${credentials}`)
    .split(' ')
    .flatMap((word) => (word === '$OPTIONS' ? env.OPTIONS.split(' ') : word));
  return inRoot(user, words, env);
}

function inRoot({ uid, gid }, words, env) {
  const child = spawn('/usr/sbin/chroot', [`--userspec=${uid}:${gid}`, scratch, ...words], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      child.output += data;
    });
  running.push(child);
  return child;
}

/** Runs an operator's command as this user. */
async function command(user, words, env, input) {
  const child = inRoot(account(user), words, env);
  child.stdin.end(input);
  const [status] = await once(child, 'close');
  assert.equal(status, 0, child.output);
  return child.output;
}

async function ready(child, file) {
  const end = Date.now() + START_MS;
  while (!existsSync(inside(file))) {
    assert.ok(child.exitCode === null && Date.now() < end, `not ready:\n${child.output}`);
    await delay(20);
  }
  return JSON.parse(read(file));
}

async function stop(child) {
  child.kill('SIGTERM');
  const [status] = await once(child, 'close');
  assert.equal(status, 0, child.output);
}

function setOptions(name, options) {
  const path = `etc/sillage/${name}.env`;
  writeFileSync(inside(path), read(path).replace(/^OPTIONS=.*$/m, `OPTIONS="${options}"`));
}

/** Starts both services, signs in, and stops them. */
async function signInOnce() {
  const cloud = start('sillage-cloud');
  const { cloud: address } = await ready(cloud, 'var/lib/sillage-cloud/ready.json');
  setOptions('console', variables('etc/sillage/console.env').OPTIONS.replace(/--cloud \S+/, `--cloud ${address}`));
  const console = start('sillage-console');
  const { console: origin } = await ready(console, 'var/lib/sillage-console/ready.json');
  const response = await fetch(`${origin}/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  assert.equal(response.status, 200, await response.text());
  await stop(console);
  await stop(cloud);
}

test('the package installs the program, its users and its settings, and starts nothing', () => {
  dpkg('--install', build(OLD_BINARY, '0.0.1'));
  assert.match(dpkg('--status', 'sillage'), /Status: install ok installed\n[^]*Version: 0\.0\.1\n[^]*Depends: .*libc6 \(>= /);
  for (const [unit, name] of UNITS.map((unit) => [unit, unit.replace('sillage-', '')])) {
    const { uid } = account(unit);
    const state = statSync(inside(`var/lib/${unit}`));
    assert.deepEqual([state.uid, state.mode & 0o777], [uid, 0o700], `/var/lib/${unit}`);
    const settings = statSync(inside(`etc/sillage/${name}.env`));
    assert.deepEqual([settings.uid, settings.mode & 0o777], [0, 0o600], `${name}.env`);
    assert.ok(!existsSync(inside(`etc/systemd/system/multi-user.target.wants/${unit}.service`)), `${unit} is enabled`);
  }
  for (const file of ['man/man1/sillage-cloud.1.gz', 'bash-completion/completions/sillage', 'doc/sillage/copyright', ...BILLS.map((name) => `doc/sillage/${name}`)])
    assert.ok(existsSync(inside(`usr/share/${file}`)), file);
});

test('the package contains the documents, alarms, dashboard, proxy and a sample catalogue of this version', () => {
  const documents = run('git', ['ls-files', 'docs', 'ops']).trim().split('\n');
  const needed = ['docs/operations.md', 'ops/prometheus/rules.yml', 'ops/grafana/sillage.json', 'ops/nginx/sillage.conf'];
  for (const file of needed) assert.ok(documents.includes(file), file);
  const packed = (file) => readFileSync(inside(`usr/share/doc/sillage/${file}`));
  for (const file of documents) assert.ok(packed(file).equals(readFileSync(join(ROOT, file))), file);
  assert.match(packed('examples/fragrances.csv').toString(), /^Fragrance,.*Density/m);
});

test('systemd accepts the units, whose exposure is the one that the documentation names', () => {
  const [, documented] = /exposure level of (\d\.\d)/.exec(readFileSync(join(ROOT, 'docs/how-to/install.md'), 'utf8'));
  for (const unit of UNITS) {
    run('systemd-analyze', ['verify', '--man=no', `--root=${scratch}`, `${unit}.service`], { stdio: 'pipe' });
    const options = ['security', '--offline=true', '--no-pager', `--root=${scratch}`, `${unit}.service`];
    const [, exposure] = /exposure level for \S+: (\S+)/.exec(run('systemd-analyze', options));
    assert.equal(exposure, documented, unit);
  }
});

test('the services start by the command lines of their units', async () => {
  const { SILLAGE_DATABASE } = variables('etc/sillage/cloud.env');
  const init = ['/usr/bin/sillage', 'cloud', 'init', '--admin', ADMIN.email, '--firstname', 'Ada', '--lastname', 'Marsh'];
  const output = await command('sillage-cloud', init, { SILLAGE_DATABASE }, ADMIN.password);
  const consoles = variables('etc/sillage/console.env').SILLAGE_DATABASE;
  await command('sillage-console', ['/usr/bin/sillage', 'console', 'init'], { SILLAGE_DATABASE: consoles });
  const value = (name) => new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(output)[1];
  for (const [file, content] of [
    ['app.secret', value('its secret')],
    ['service.password', value('its password')],
    ['token.key', '0a'.repeat(32)],
  ])
    writeFileSync(inside(`etc/sillage/${file}`), content, { mode: 0o600 });
  const free = '--listen 127.0.0.1:0';
  setOptions('cloud', `${free} --mqtt-listen 127.0.0.1:0 --ready-file /var/lib/sillage-cloud/ready.json`);
  const console = variables('etc/sillage/console.env').OPTIONS.replace('APP_ID', value('Application'));
  setOptions('console', `${console.replace(/--listen \S+/, free)} --ready-file /var/lib/sillage-console/ready.json`);
  await signInOnce();
});

test('an upgrade keeps data and settings', async () => {
  const before = ['cloud', 'console'].map((name) => read(`etc/sillage/${name}.env`));
  dpkg('--install', build(BINARY, '0.0.2'));
  assert.match(dpkg('--status', 'sillage'), /Version: 0\.0\.2\n/);
  assert.deepEqual(
    ['cloud', 'console'].map((name) => read(`etc/sillage/${name}.env`)),
    before,
  );
  await signInOnce();
});

test('removing the package keeps data and settings, and purging it deletes them', () => {
  const kept = ['var/lib/sillage-cloud/cloud.db', 'var/lib/sillage-console/console.db', 'etc/sillage/cloud.env', 'etc/sillage/token.key'];
  const exist = (paths) => paths.filter((path) => existsSync(inside(path)));
  dpkg('--remove', 'sillage');
  assert.deepEqual(exist([...kept, 'usr/bin/sillage', 'usr/lib/systemd/system/sillage-cloud.service']), kept);
  dpkg('--purge', 'sillage');
  const places = ['var/lib/sillage-cloud', 'var/lib/sillage-console', 'etc/sillage', 'usr/share/doc/sillage'];
  assert.deepEqual(exist([...kept, ...places]), []);
});
