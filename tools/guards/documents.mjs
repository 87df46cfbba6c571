// Documents stay short and true: docs/ has a budget of lines, options and alarms are not described a second time, and each threat in
// SECURITY.md names what proves that it is met.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exists } from './asvs.mjs';
import { trackedFiles } from './committed.mjs';

const BUDGET = 3500;
const PERFORMANCE = 'docs/performance.md';
const CHANGELOG = 'CHANGELOG.md';
const SECURITY = 'SECURITY.md';
const ALARMS = 'ops/prometheus/rules.yml';
const PICTURE = /\.(webp|png|svg|jpg)$/;
/** `sillage … --help` and the generated pages describe options and variables. */
const OPTION_ROW = /^ *\| *`(--[a-z]|SILLAGE_)/;
/** Such a sentence is forgotten when the thing comes. */
const DENIAL = /\bthere is no\b[^.|]*\byet\b/i;

export function documentFaults(root) {
  const files = trackedFiles(root);
  const linesOf = (path) =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8').replace(/\n$/, '').split('\n') : [];
  const docs = files.filter((path) => path.startsWith('docs/') && !PICTURE.test(path));
  const faults = [];
  const atMost = (limit, count, what) => count > limit && faults.push(`${what}: ${count}, at most ${limit}`);

  atMost(BUDGET, docs.reduce((sum, path) => sum + linesOf(path).length, 0), 'lines of docs/');
  atMost(120, linesOf(PERFORMANCE).length, `lines of ${PERFORMANCE}`);
  atMost(25, entry(linesOf(CHANGELOG), '## 0.1.0').length, `lines of 0.1.0 in ${CHANGELOG}`);
  atMost(8, docs.filter((path) => path.startsWith('docs/adr/')).length, 'pages of docs/adr');

  const alarms = linesOf(ALARMS).flatMap((line) => /- alert: (\w+)/.exec(line)?.[1] ?? []);
  const alarm = new RegExp(`\\b(${alarms.join('|')})\\b`);
  for (const path of [...docs.filter((path) => path.endsWith('.md')), SECURITY])
    linesOf(path).forEach((line, index) => {
      const report = (fault) => faults.push(`${path}:${index + 1}: ${fault}`);
      if (OPTION_ROW.test(line)) report('a table of options; they are described where the program declares them');
      if (alarms.length > 0 && alarm.test(line)) report(`names an alarm; its description is in ${ALARMS}`);
      if (DENIAL.test(line)) report('says what there is not yet; say what there is');
    });
  return [...faults, ...threatFaults(root, linesOf(SECURITY))];
}

/** The lines of a heading, which is the first, up to the next of its level. */
function entry(lines, heading) {
  const start = lines.indexOf(heading);
  if (start < 0) return [];
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  return lines.slice(start, end < 0 ? undefined : end);
}

/** The table of threats: its last column has proofs as quality/asvs.tsv has them, in backticks. */
function threatFaults(root, lines) {
  const head = lines.findIndex((line) => /^\| Who \|.*\| Proof \|$/.test(line));
  if (lines.length > 0 && head < 0) return [`${SECURITY}: no table of threats with a column Proof`];
  const faults = [];
  for (let index = head + 2; head >= 0 && lines[index]?.startsWith('|'); index += 1) {
    const proofs = [...(lines[index].split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)].map(([, proof]) => proof);
    if (proofs.length === 0) faults.push(`${SECURITY}:${index + 1}: has no proof`);
    for (const proof of proofs) if (!exists(root, proof)) faults.push(`${SECURITY}:${index + 1}: there is no ${proof}`);
  }
  return faults;
}
