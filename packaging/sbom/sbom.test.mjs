import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { programBom, webBom } from './write.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let program;
let web;

const read = (path) => readFileSync(`${ROOT}/${path}`, 'utf8');
const cargo = (...args) => execFileSync('cargo', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
const names = (bom) => bom.components.map(({ name, version }) => `${name}@${version}`).sort();
const hash = ({ hashes = [] }, algorithm) => hashes.find(({ alg }) => alg === algorithm)?.content;

before(() => {
  program = programBom();
  web = webBom();
});

test('both documents are CycloneDX 1.5 and describe this version of the program', () => {
  const [, version] = /^\[workspace\.package\]\nversion = "(.+)"/m.exec(read('Cargo.toml'));
  for (const bom of [program, web]) {
    assert.equal(bom.bomFormat, 'CycloneDX');
    assert.equal(bom.specVersion, '1.5');
    assert.match(bom.serialNumber, /^urn:uuid:[0-9a-f-]{36}$/);
    assert.equal(bom.metadata.component.type, 'application');
    assert.equal(bom.metadata.component.version, version);
  }
  assert.equal(program.metadata.component.purl, `pkg:cargo/sillage@${version}`);
  assert.equal(web.metadata.component.purl, `pkg:npm/sillage-web@${version}`);
});

test('every crate that the program is compiled from is listed with the checksum of Cargo.lock', () => {
  const tree = cargo('tree', '--package', 'sillage', '--locked', '--edges', 'normal', '--prefix', 'none', '--format', '{p}');
  const compiled = new Set(tree.trim().split('\n').map((line) => line.split(' ').slice(0, 2).join('@').replace('@v', '@')));
  assert.ok(compiled.delete(`sillage@${program.metadata.component.version}`));
  assert.deepEqual(names(program), [...compiled].sort());

  const entries = read('Cargo.lock').matchAll(/^name = "(.+)"\nversion = "(.+)"(?:\nsource = .+\nchecksum = "(.+)")?$/gm);
  const checksums = new Map([...entries].map(([, name, version, checksum]) => [`${name}@${version}`, checksum]));
  for (const component of program.components) {
    const key = `${component.name}@${component.version}`;
    assert.ok(checksums.has(key), `${key} is in Cargo.lock`);
    assert.equal(hash(component, 'SHA-256'), checksums.get(key), key);
    assert.equal(component.purl, `pkg:cargo/${key}`);
  }
});

test('every npm package that is not for development only is listed with the checksum of package-lock.json', () => {
  const packages = Object.entries(JSON.parse(read('web/package-lock.json')).packages);
  const bundled = packages
    .filter(([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional)
    .map(([path, entry]) => ({ ...entry, key: `${path.split('node_modules/').at(-1)}@${entry.version}` }));
  assert.deepEqual(names(web), bundled.map(({ key }) => key).sort());

  for (const { key, integrity } of bundled) {
    const component = web.components.find(({ name, version }) => `${name}@${version}` === key);
    assert.equal(hash(component, 'SHA-512'), Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex'), key);
    assert.equal(component.purl, `pkg:npm/${key.replace(/^@/, '%40')}`);
  }
  for (const name of Object.keys(JSON.parse(read('web/package.json')).dependencies))
    assert.ok(web.components.some((component) => component.name === name), `${name} is listed`);
});

test('every component has a licence, and dependencies lead to listed components', () => {
  for (const { metadata, components, dependencies } of [program, web]) {
    const all = [metadata.component, ...components];
    for (const { name, licenses } of all)
      assert.ok(licenses?.some(({ expression, license }) => expression || license?.id), `${name} has a licence`);
    const references = all.map((component) => component['bom-ref']).sort();
    assert.equal(new Set(references).size, references.length);
    assert.deepEqual(dependencies.map(({ ref }) => ref).sort(), references);
    for (const { dependsOn } of dependencies) for (const ref of dependsOn) assert.ok(references.includes(ref), ref);
  }
});

test('no document names a path of the machine that wrote it', () => {
  for (const bom of [program, web]) {
    const text = JSON.stringify(bom);
    for (const path of [ROOT, ROOT.replace(/\/$/, ''), `${homedir()}/`, 'file:']) assert.ok(!text.includes(path), path);
  }
});

test('writing the documents leaves no file beside the manifests', () => {
  assert.equal(execFileSync('git', ['ls-files', '--others', '--', 'crates/*.json'], { cwd: ROOT, encoding: 'utf8' }), '');
});
