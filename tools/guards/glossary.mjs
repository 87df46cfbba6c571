// docs/glossary.md: every term stands there once, with a definition and a name of its own that occurs in the code. Words that could
// mean many things name one type at most. The pages that explain terms, decisions and the protocol are linked from ARCHITECTURE.md.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './committed.mjs';

const PATH = 'docs/glossary.md';
const LINKED = ['docs/glossary.md', 'docs/decisions.md', 'docs/wire.md'];
const CODE = /^(crates\/[^/]+\/src|web\/src)\/.*\.(rs|tsx?)$/;
const ROW = /^\| (?!Term |---)([^|]*) \| ([^|]*) \| ([^|]*) \|$/;

/** Words that say little without another one, such as BrowserSession or AuditRow. */
const BARE = ['DeviceRecord', 'Recipient', 'Record', 'Report', 'Row', 'Session', 'Target', 'Writer'];
const TYPE = new RegExp(`^\\s*(?:pub(?:\\([^)]*\\))? )?(?:struct|enum|trait) (${BARE.join('|')})\\b`, 'gm');
const RUST = /^crates\/[^/]+\/src\/.*\.rs$/;

export function glossaryFaults(root) {
  const faults = LINKED.filter((page) => !linked(root).includes(`](${page})`)).map(
    (page) => `ARCHITECTURE.md: no link to ${page}`,
  );
  faults.push(...secondMeanings(root));
  if (!existsSync(join(root, PATH))) return [...faults, `${PATH}: does not exist`];
  const names = codeNames(root);
  const seen = new Set();
  readFileSync(join(root, PATH), 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const [, term, definition, cell] = ROW.exec(line) ?? [];
      if (term === undefined) return;
      const name = /^`([^`]+)`$/.exec(cell)?.[1];
      for (const one of [term.trim(), cell.trim()])
        if (one && seen.size === seen.add(one).size) faults.push(`${PATH}:${index + 1}: ${one} stands there twice`);
      const report = (fault) => faults.push(`${PATH}:${index + 1}: ${term}: ${fault}`);
      if (definition.trim() === '') report('the definition is missing');
      if (!name) report('the name in the code is missing');
      else if (!name.split('::').every((word) => names.has(word))) report(`no code has the name '${name}'`);
    });
  return faults;
}

function secondMeanings(root) {
  const first = new Map();
  const faults = [];
  for (const path of trackedFiles(root).filter((file) => RUST.test(file)))
    for (const [, name] of readFileSync(join(root, path), 'utf8').matchAll(TYPE))
      if (first.has(name)) faults.push(`${path}: ${name} is another type in ${first.get(name)}; qualify it`);
      else first.set(name, path);
  return faults;
}

function linked(root) {
  const path = join(root, 'ARCHITECTURE.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Every word of the code. */
function codeNames(root) {
  const words = new Set();
  for (const path of trackedFiles(root).filter((file) => CODE.test(file)))
    for (const word of readFileSync(join(root, path), 'utf8').match(/\w+/g) ?? []) words.add(word);
  return words;
}
