// quality/asvs.tsv: an answer to each requirement of OWASP ASVS 5.0.0, levels 1 and 2. A proof is a file, or `path::test name`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTable, widthFaults } from './table.mjs';
import { hasTest } from './test-names.mjs';

const PATH = 'quality/asvs.tsv';
export const COLUMNS = ['requirement', 'level', 'answer', 'how', 'proof'];
const ANSWERS = ['met', 'open', 'not applicable'];

/** The requirements of levels 1 and 2 by section; those of level 1 have a star. */
const SECTIONS = {
  1.1: '1 2',
  1.2: '1* 2* 3* 4* 5* 6 7 8 9',
  1.3: '1* 2* 3 4 5 6 7 8 9 10 11',
  1.4: '1 2 3',
  1.5: '1* 2',
  2.1: '1* 2 3',
  2.2: '1* 2* 3',
  2.3: '1* 2 3 4',
  2.4: '1',
  3.2: '1* 2*',
  3.3: '1* 2 3 4',
  3.4: '1* 2* 3 4 5 6',
  3.5: '1* 2* 3* 4 5',
  3.7: '1 2',
  4.1: '1* 2 3',
  4.2: '1',
  4.3: '1 2',
  4.4: '1* 2 3 4',
  5.1: '1',
  5.2: '1* 2* 3',
  5.3: '1* 2*',
  5.4: '1 2 3',
  6.1: '1* 2 3',
  6.2: '1* 2* 3* 4* 5* 6* 7* 8* 9 10 11 12',
  6.3: '1* 2* 3 4',
  6.4: '1* 2* 3 4',
  6.5: '1 2 3 4 5',
  6.6: '1 2 3',
  6.8: '1 2 3 4',
  7.1: '1 2 3',
  7.2: '1* 2* 3* 4*',
  7.3: '1 2',
  7.4: '1* 2* 3 4 5',
  7.5: '1 2',
  7.6: '1 2',
  8.1: '1* 2',
  8.2: '1* 2* 3',
  8.3: '1*',
  8.4: '1',
  9.1: '1* 2* 3*',
  9.2: '1* 2 3 4',
  '10.1': '1 2',
  10.2: '1 2',
  10.3: '1 2 3 4',
  10.4: '1* 2* 3* 4* 5* 6 7 8 9 10 11',
  10.5: '1 2 3 4 5',
  10.6: '1 2',
  10.7: '1 2 3',
  11.1: '1 2',
  11.2: '1 2 3',
  11.3: '1* 2* 3',
  11.4: '1* 2 3 4',
  11.5: '1',
  11.6: '1',
  12.1: '1* 2 3',
  12.2: '1* 2*',
  12.3: '1 2 3 4',
  13.1: '1',
  13.2: '1 2 3 4 5',
  13.3: '1 2',
  13.4: '1* 2 3 4 5',
  14.1: '1 2',
  14.2: '1* 2 3 4',
  14.3: '1* 2 3',
  15.1: '1* 2 3',
  15.2: '1* 2 3',
  15.3: '1* 2 3 4 5 6 7',
  16.1: '1',
  16.2: '1 2 3 4 5',
  16.3: '1 2 3 4',
  16.4: '1 2 3',
  16.5: '1 2 3',
  17.1: '1',
  17.2: '1 2 3 4',
  17.3: '1 2',
};

/** The level of each requirement, by its number such as `6.2.1`. */
export const LEVELS = new Map(
  Object.entries(SECTIONS).flatMap(([section, numbers]) =>
    numbers.split(' ').map((number) => [`${section}.${number.replace('*', '')}`, number.endsWith('*') ? '1' : '2']),
  ),
);

export function asvsFaults(root) {
  const table = readTable(root, PATH);
  if (table.header.join() !== COLUMNS.join()) return [`${PATH}: the columns must be ${COLUMNS.join(', ')}`];
  const faults = widthFaults(PATH, table);
  const answered = new Set();
  for (const { number, cells } of table.rows) {
    const [id, level, answer, how, proof = ''] = cells;
    const report = (fault) => faults.push(`${PATH}:${number}: ${id}: ${fault}`);
    if (!LEVELS.has(id)) report('is no requirement of level 1 or 2');
    else if (LEVELS.get(id) !== level) report(`is of level ${LEVELS.get(id)}`);
    if (answered.has(id)) report('is already answered');
    answered.add(id);
    if (!ANSWERS.includes(answer)) report(`the answer must be one of ${ANSWERS.join(', ')}`);
    if (!how) report('does not say how or why');
    const proofs = proof.split(' ; ').filter((entry) => entry !== '');
    if (answer === 'met' && proofs.length === 0) report('has no proof');
    for (const entry of proofs) if (!exists(root, entry)) report(`there is no ${entry}`);
  }
  for (const id of LEVELS.keys()) if (!answered.has(id)) faults.push(`${PATH}: ${id} has no answer`);
  return faults;
}

/** Whether a proof, a file or `path::test name`, exists. */
export function exists(root, proof) {
  const [path, name] = proof.split('::');
  if (!existsSync(join(root, path))) return false;
  return name === undefined || hasTest(path, readFileSync(join(root, path), 'utf8'), name);
}
