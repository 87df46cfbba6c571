// quality/requirements.tsv: each requirement once, with proofs that exist. Proofs are separated by ` ; `; a proof is
// `path::test name`, or `A-17: path::test name` where a decision replaces the requirement. For a table-driven test
// (cases.mjs) the column `case` names the cases that prove the row: `file::test name[case]`; `[*]` means every case.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CASES } from './cases.mjs';
import { readTable, widthFaults } from './table.mjs';
import { hasTest } from './test-names.mjs';

const PATH = 'quality/requirements.tsv';
const COLUMNS = ['id', 'requirement', 'proof', 'case'];

export function requirementFaults(root) {
  const table = readTable(root, PATH);
  if (table.header.join() !== COLUMNS.join()) return [`${PATH}: the columns must be ${COLUMNS.join(', ')}`];
  const faults = widthFaults(PATH, table);
  const lines = new Map();
  const check = proofChecker(root);
  for (const { number, cells } of table.rows) {
    const [id, requirement, proof = '', cases = ''] = cells;
    const report = (fault) => faults.push(`${PATH}:${number}: ${id}: ${fault}`);
    if (lines.has(id)) report(`is already on line ${lines.get(id)}`);
    lines.set(id, number);
    if (!id || !requirement) report('the id or the requirement is missing');
    for (const fault of check(entriesOf(proof), entriesOf(cases))) report(fault);
  }
  return faults;
}

function entriesOf(cell) {
  return cell.split(' ; ').filter((entry) => entry !== '');
}

/** Checks the proofs and cases of one row. Reads each file and each table of cases once. */
function proofChecker(root) {
  const text = remembered((path) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined,
  );
  const isTest = remembered((proof) => hasTest(pathOf(proof), text(pathOf(proof)), nameOf(proof)));
  const casesOf = remembered((proof) => new Set(CASES[proof](root, pathOf(proof), nameOf(proof))));

  return (entries, cases) => {
    const proofs = entries.map((entry) => entry.replace(/^A-\d+: /, ''));
    const faults = proofs.length > 0 ? [] : ['has no proof'];
    for (const proof of proofs) {
      const named = casesNamed(cases, proof);
      if (text(pathOf(proof)) === undefined) faults.push(`there is no file ${pathOf(proof)}`);
      else if (!isTest(proof)) faults.push(`${pathOf(proof)} has no test '${nameOf(proof)}'`);
      else if (CASES[proof] && named.length === 0)
        faults.push(`${nameOf(proof)} is table-driven, but no case is named`);
      else if (CASES[proof]) faults.push(...unknownCases(proof, named, casesOf(proof)));
    }
    const stray = cases.filter(
      (entry) => !proofs.some((proof) => CASES[proof] && casesNamed([entry], proof).length > 0),
    );
    return [...faults, ...stray.map((entry) => `the case ${entry} is not of a table-driven proof of this row`)];
  };
}

const pathOf = (proof) => proof.slice(0, proof.indexOf('::'));
const nameOf = (proof) => proof.slice(proof.indexOf('::') + '::'.length);

/** The cases of this proof, from entries such as `file::test name[case]`. */
function casesNamed(entries, proof) {
  const start = `${proof.slice(proof.lastIndexOf('/', proof.indexOf('::')) + 1)}[`;
  return entries
    .filter((entry) => entry.startsWith(start) && entry.endsWith(']'))
    .map((entry) => entry.slice(start.length, -1));
}

function unknownCases(proof, named, known) {
  return named.filter((name) => name !== '*' && !known.has(name)).map((name) => `${proof} has no case '${name}'`);
}

function remembered(compute) {
  const results = new Map();
  return (key) => {
    if (!results.has(key)) results.set(key, compute(key));
    return results.get(key);
  };
}
