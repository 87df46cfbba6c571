// One dialect: keywords of SQL are lower-case in Rust and in files of SQL, and functions do not take their parameters apart in their
// signatures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './committed.mjs';
import { withoutComments } from './test-names.mjs';

const CODE = /^(crates|fuzz)\/.*\.rs$/;
const SQL = /\.sql$/;
const LITERAL = /r(#+)"[\s\S]*?"\1|"(?:[^"\\]|\\[\s\S])*"/g;
const KEYWORDS =
  /(?<!\{)\b(?:SELECT|INSERT INTO|DELETE FROM|UPDATE [\w{}]+(?: \w+)? SET|WHERE|ORDER BY|GROUP BY|RETURNING|ON CONFLICT|(?:LEFT|CROSS) JOIN|IS (?:NOT )?NULL|CREATE (?:UNIQUE )?(?:TABLE|INDEX)|ALTER TABLE)\b/g;
/** SQLite's plans are in capitals. */
const PLAN = /\b(?:SCAN|SEARCH|B-TREE)\b/;
const FUNCTION = /\bfn \w+/g;
const TUPLE = /^\s*(?:mut )?\([^()]*\)\s*:/;

export function dialectFaults(root) {
  const files = trackedFiles(root);
  const read = (path) => withoutComments(readFileSync(join(root, path), 'utf8'));
  return [
    ...files.filter((path) => SQL.test(path)).flatMap((path) => keywordFaults(path, read(path), [[0, read(path)]])),
    ...files.filter((path) => CODE.test(path)).flatMap((path) => {
      const code = read(path);
      const literals = [...code.matchAll(LITERAL)].map(({ index, 0: text }) => [index, text]);
      return [...keywordFaults(path, code, literals), ...tupleFaults(path, code)];
    }),
  ];
}

function keywordFaults(path, code, texts) {
  return texts
    .filter(([, text]) => !PLAN.test(text))
    .flatMap(([start, text]) =>
      [...text.matchAll(KEYWORDS)].map(
        ({ index, 0: keyword }) => `${path}:${line(code, start + index)}: ${keyword}; keywords of SQL are lower-case`,
      ),
    );
}

function tupleFaults(path, code) {
  return [...code.matchAll(FUNCTION)].flatMap(({ index, 0: head }) =>
    parameters(code, index + head.length)
      .filter((parameter) => TUPLE.test(parameter))
      .map((parameter) => `${path}:${line(code, index)}: ${parameter.trim()}; give the parameter a name`),
  );
}

/** The parameters of the function whose name ends at `start`. */
function parameters(code, start) {
  const open = code[start] === '<' ? start + pieces(code, start).join('').length : start;
  const found = [''];
  let depth = 0;
  for (const piece of pieces(code, open).slice(1, -1)) {
    depth += nesting(piece);
    if (piece === ',' && depth === 0) found.push('');
    else found[found.length - 1] += piece;
  }
  return found;
}

/** The characters from an opening bracket through the closing one; an arrow is one piece. */
function pieces(code, start) {
  const found = [];
  let depth = 0;
  for (let at = start; at < code.length; at += found.at(-1).length) {
    found.push(code.startsWith('->', at) ? '->' : code[at]);
    depth += nesting(found.at(-1));
    if (depth === 0) break;
  }
  return found;
}

/** By how much a piece changes the depth of brackets. */
const nesting = (piece) => ('([{<'.includes(piece) ? 1 : ')]}>'.includes(piece) ? -1 : 0);

const line = (text, index) => text.slice(0, index).split('\n').length;
