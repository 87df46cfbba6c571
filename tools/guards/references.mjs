// References in tracked text files resolve inside the repository: decisions (`A-<n>`), requirement ids, and `docs/x.md#anchor`
// anywhere. Names of documents outside the repository are faults. links.mjs checks the links of Markdown pages.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './committed.mjs';
import { linkChecker } from './links.mjs';
import { readTable } from './table.mjs';

const DECISIONS = 'docs/decisions.md';
const REQUIREMENTS = 'quality/requirements.tsv';
const TEXT = /\.(rs|toml|md|tsv|ts|tsx|mjs|js|css|html|sh|ya?ml|sql)$|(^|\/)(Makefile|[a-z-]+)$|^crates\/.*\.json$/;
/** Fixtures of this guard, and data in which `A-1` is a value. */
const SKIPPED = [
  'tools/guards/references.mjs',
  'tools/guards/references.test.mjs',
  'tools/guards/documents.test.mjs',
  'tools/guards/links.test.mjs',
  'tools/site/site.test.mjs',
];

const DECISION = /(?<![\w-])A-(\d{2,3})(?![\w-])/g;
const REQUIREMENT = /(?<![\w-])((?:C|L)-\d-\d{3}|(?:B|H|T|U)-\d{2})(?![\w-])/g;
const PAGE = /(?<![\w./-])docs\/[\w/-]+\.md(?:#[\w-]+)?/g;
const OUTSIDE =
  /wire-facts|\bspec 00[01]\b|(?<![\w:])[cl]:\d+\b|\bTN\d{2}\b|(?<![\w/-])(?:design|stack|examples|language)\.md|\brows\.tsv/g;

export function referenceFaults(root) {
  const context = {
    root,
    decisions: numbers(root, DECISIONS, /^\| A-(\d+)\b/gm),
    requirements: new Set(readTable(root, REQUIREMENTS).rows.map(({ cells }) => cells[0])),
    linkFault: linkChecker(root),
  };
  return trackedFiles(root)
    .filter((path) => TEXT.test(path) && !SKIPPED.includes(path) && statSync(join(root, path)).isFile())
    .flatMap((path) => fileFaults(context, path));
}

function fileFaults(context, path) {
  const text = readFileSync(join(context.root, path), 'utf8');
  const faults = [];
  const report = (pattern, check) => {
    for (const match of text.matchAll(pattern)) {
      const fault = check(match);
      if (fault) faults.push(`${path}:${lineAt(text, match.index)}: ${fault}`);
    }
  };
  report(DECISION, ([name, number]) => !context.decisions.has(number) && `${name} is not in ${DECISIONS}`);
  if (path !== REQUIREMENTS)
    report(REQUIREMENT, ([, id]) => !context.requirements.has(id) && `${id} is not in ${REQUIREMENTS}`);
  report(PAGE, ([target]) => context.linkFault('', target));
  report(OUTSIDE, ([name]) => `'${name}' names a document outside the repository`);
  return faults;
}

function numbers(root, path, pattern) {
  if (!existsSync(join(root, path))) return new Set();
  return new Set([...readFileSync(join(root, path), 'utf8').matchAll(pattern)].map(([, found]) => found));
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}
