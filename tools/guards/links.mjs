// Relative links of Markdown pages lead to files and headings of the repository, and docs/SUMMARY.md lists every page of docs/.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { API_PAGE, COMMANDS_PAGE, CONFIGURATION_PAGE } from './generated-pages.mjs';
import { trackedFiles } from './committed.mjs';

const SUMMARY = 'docs/SUMMARY.md';
const GENERATED = [COMMANDS_PAGE, CONFIGURATION_PAGE, API_PAGE];

/** `[text](target)`, `![text](target "title")`, `[text]: target`, and attributes of HTML. */
const LINKS = [/\]\(<?([^()\s<>]+)>?(?:\s+"[^"]*")?\)/g, /^ {0,3}\[[^\]]+\]:\s+<?([^\s<>]+)/gm, /\s(?:href|src)="([^"]+)"/g];
const CODE = /^( *)(```+|~~~+)[^]*?^\1\2 *$|`[^`\n]+`/gm;
const HEADING = /^#{1,6} (.+?)(?: #+)?$/gm;
const HTML_ANCHOR = /<[a-z]+\b[^>]*?\s(?:id|name)="([^"]+)"/g;

export function linkFaults(root) {
  const linkFault = linkChecker(root);
  const pages = trackedFiles(root).filter((path) => path.endsWith('.md'));
  return [
    ...pages.flatMap((path) => pageFaults(path, readFileSync(join(root, path), 'utf8'), linkFault)),
    ...unlistedPages(root, pages),
  ];
}

/** Returns a function that returns the fault of a link, whose target is relative to the file that contains it. */
export function linkChecker(root) {
  const anchors = new Map();
  return (from, target) => {
    const [file, anchor] = target.split('#');
    // A link without a path points into the page that contains it.
    const path = file === '' ? from : normalize(join(from === '' ? '.' : dirname(from), decodeURI(file)));
    if (path.startsWith('..')) return `${target}: outside the repository`;
    if (GENERATED.includes(path)) return undefined;
    if (!existsSync(join(root, path))) return `${target}: no such file`;
    if (anchor === undefined || !path.endsWith('.md')) return undefined;
    if (!anchors.has(path)) anchors.set(path, anchorsOf(readFileSync(join(root, path), 'utf8')));
    return anchors.get(path).has(anchor) ? undefined : `${target}: no such heading`;
  };
}

function pageFaults(path, text, linkFault) {
  const prose = withoutCode(text);
  return LINKS.flatMap((pattern) => [...prose.matchAll(pattern)])
    .filter(([, target]) => !/^([a-z]+:|\/\/)/.test(target))
    .map((match) => ({ line: lineAt(prose, match.index + match[0].indexOf(match[1])), fault: linkFault(path, match[1]) }))
    .filter(({ fault }) => fault)
    .sort((a, b) => a.line - b.line)
    .map(({ line, fault }) => `${path}:${line}: ${fault}`);
}

function unlistedPages(root, pages) {
  if (!existsSync(join(root, SUMMARY))) return [];
  const summary = readFileSync(join(root, SUMMARY), 'utf8');
  const listed = new Set([...summary.matchAll(LINKS[0])].map(([, target]) => normalize(join('docs', target))));
  return pages
    .filter((path) => path.startsWith('docs/') && path !== SUMMARY && !listed.has(path))
    .map((path) => `${path}: ${SUMMARY} does not list this page`);
}

/** Anchors as GitHub makes them of headings, in which repeated ones get a number. */
function anchorsOf(text) {
  const prose = text.replaceAll(CODE, (code, indent) => (indent === undefined ? code : blank(code)));
  const anchors = new Set([...prose.matchAll(HTML_ANCHOR)].map(([, id]) => id));
  const counts = new Map();
  for (const [, title] of prose.matchAll(HEADING)) {
    const anchor = anchorOf(title);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

function anchorOf(title) {
  return title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

const withoutCode = (text) => text.replaceAll(CODE, (code) => blank(code));
/** Keeps the lines, so that faults have the right number. */
const blank = (code) => code.replace(/[^\n]/g, ' ');

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}
