// ARCHITECTURE.md stays short enough to be read in one go, and the paths in its tables exist. In a table, every code span and link
// after the first column is the path of a committed file or folder.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { trackedFiles } from './committed.mjs';

const PATH = 'ARCHITECTURE.md';
const MOST_LINES = 120;
const LEAST_ROWS = 10;
const MAP = /^## Where do I change\b/;
const RULER = /^\|(?: *:?-+:? *\|)+\s*$/;
/** `path`, and `[text](path)`, whose text may be code. */
const PATHS = /\[[^\]]*\]\(([^()\s]+)\)|`([^`]+)`/g;

export function architectureFaults(root) {
  const text = existsSync(join(root, PATH)) ? readFileSync(join(root, PATH), 'utf8') : '';
  const lines = text.replace(/\n$/, '').split('\n');
  const faults = lines.length > MOST_LINES ? [`${PATH}: ${lines.length} lines, at most ${MOST_LINES}`] : [];
  const rows = tableRows(lines);
  const map = rows.filter(({ section }) => MAP.test(section));
  if (map.length < LEAST_ROWS)
    faults.push(`${PATH}: ${map.length} rows in the table 'Where do I change', at least ${LEAST_ROWS}`);

  const exists = pathChecker(root);
  for (const { number, cells } of rows) {
    const paths = cells.slice(1).flatMap((cell) => [...cell.matchAll(PATHS)].map(([, link, code]) => link ?? code));
    if (paths.length === 0) faults.push(`${PATH}:${number}: names no path`);
    for (const path of paths) if (!exists(path)) faults.push(`${PATH}:${number}: there is no ${path}`);
  }
  return faults;
}

/** The rows of all tables below their rulers, each with its heading of level 2 and its line. */
function tableRows(lines) {
  const rows = [];
  let section = '';
  let isBelowRuler = false;
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('## ')) section = line;
    if (isBelowRuler && line.startsWith('|'))
      rows.push({ section, number: index + 1, cells: line.replace(/\|\s*$/, '').split('|').slice(1) });
    isBelowRuler = RULER.test(line) || (isBelowRuler && line.startsWith('|'));
  }
  return rows;
}

/** Whether a path is that of a committed file or of a folder that has one, regardless of what else is on this machine. */
function pathChecker(root) {
  const known = new Set();
  for (const file of trackedFiles(root))
    for (let path = file; path !== '.' && !known.has(path); path = dirname(path)) known.add(path);
  return (path) => known.has(normalize(path.split('#')[0]).replace(/\/$/, ''));
}
