// Writes a CycloneDX bill of materials of each part of the program: sillage.cdx.json for its crates, and sillage-web.cdx.json for the
// npm packages of the web pages in it.
// usage: node packaging/sbom/write.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SPEC_VERSION = '1.5';

const run = (command, args) =>
  execFileSync(command, args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 });

/** The crates that the program is compiled from. */
export function programBom() {
  // cargo-cyclonedx reads `cargo metadata`, which also has crates that only tests or unused features need.
  const tree = run('cargo', ['tree', '--package', 'sillage', '--locked', '--edges', 'normal', '--prefix', 'none']);
  const compiled = new Set([...tree.matchAll(/^(\S+) v(\S+)/gm)].map(([, name, version]) => `${name}@${version}`));
  const text = cyclonedx()
    .replaceAll(`path+${pathToFileURL(ROOT).href}`, '')
    .replaceAll(/\?download_url=file:[^"#]*/g, '');
  return withComponents(JSON.parse(text), ({ name, version }) => compiled.has(`${name}@${version}`));
}

/** The packages that the web pages are bundled from. */
export function webBom() {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  // `--omit dev` would also omit react, which development dependencies need, too: https://github.com/npm/cli/issues/7909
  const bom = JSON.parse(run('npm', ['--prefix', 'web', 'sbom', '--package-lock-only', ...format]));
  return withComponents(bom, ({ scope }) => scope === 'required');
}

/** The output of cargo-cyclonedx, which can only write files beside the manifests of all members of the workspace. */
function cyclonedx() {
  const name = `sbom-${process.pid}`;
  try {
    const options = ['--format', 'json', '--spec-version', SPEC_VERSION, '--no-build-deps', '--override-filename', name];
    run('cargo', ['cyclonedx', '--quiet', '--manifest-path', 'crates/sillage/Cargo.toml', ...options]);
    return readFileSync(join(ROOT, `crates/sillage/${name}.json`), 'utf8');
  } finally {
    for (const crate of readdirSync(join(ROOT, 'crates'))) rmSync(join(ROOT, 'crates', crate, `${name}.json`), { force: true });
  }
}

/** The document with the components that satisfy the predicate only. */
function withComponents(bom, predicate) {
  const components = bom.components.filter(predicate);
  const references = new Set([bom.metadata.component, ...components].map((component) => component['bom-ref']));
  const dependencies = bom.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((it) => references.has(it)) }));
  return { ...bom, components, dependencies };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder] = process.argv.slice(2);
  if (!folder) {
    console.error('usage: node packaging/sbom/write.mjs FOLDER');
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, bom] of [
    ['sillage', programBom()],
    ['sillage-web', webBom()],
  ]) {
    const path = join(folder, `${name}.cdx.json`);
    writeFileSync(path, `${JSON.stringify(bom, null, 2)}\n`);
    console.log(`${path}: ${bom.components.length} components`);
  }
}
