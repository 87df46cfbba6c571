// Finds the tests in a source file. A comment, a helper function or a skipped test does not count.

/** Whether `name` is a test of the file with this text: a Rust function, or the title or fixed part of a title. */
export function hasTest(path, text, name) {
  const code = withoutComments(text);
  if (path.endsWith('.rs')) return rustTests(code).includes(name);
  if (/\.(ts|tsx|js|mjs)$/.test(path)) return titles(code).some((title) => isTitle(title, name));
  return false;
}

/** Relies on formatted code: `//` begins a comment at the start of a line or after a space, and not in `https://`. */
export function withoutComments(text) {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}

const ATTRIBUTE = String.raw`#\[(?:[^\[\]]|\[[^\]]*\])*\]\s*`;
const RUST_TEST = new RegExp(`((?:${ATTRIBUTE})+)(?:pub(?:\\([a-z]+\\))? )?(?:async )?fn (\\w+)`, 'g');
/** Macros that make tests of each function that they list, for example one on SQLite and one on PostgreSQL. */
const LISTED_TESTS = /(?:store_suite!\s*[([][^;]*?tests = \[|on_\w+!\s*[([])([\w\s,]*)[\])]/g;

function rustTests(code) {
  const attributed = [...code.matchAll(RUST_TEST)]
    .filter(([, attributes]) => /#\[(?:\w+::)*test\b/.test(attributes) && !attributes.includes('#[ignore'))
    .map(([, , name]) => name);
  const listed = [...code.matchAll(LISTED_TESTS)].flatMap(([, names]) => names.match(/\w+/g) ?? []);
  return [...attributed, ...listed];
}

/** `test('title'`, `test.describe(`title``, and `test.each(table)('title'` with a table of one line or of several. */
const TITLE =
  /^(?:\s*(?:await )?(?:test|it|describe)\b([.\w]*)(?:\([^\n]*\))?|\s*\]\))\(\s*(['"`])((?:\\.|(?!\2).)*)\2/gm;

function titles(code) {
  return [...code.matchAll(TITLE)]
    .filter(([, modifiers = '']) => !/\.(skip|fixme|todo|fails?)\b/.test(modifiers))
    .map(([, , , title]) => title.replace(/\\(.)/g, '$1'));
}

/** A title with placeholders is cited by one of its fixed parts. */
function isTitle(title, name) {
  if (title === name) return true;
  const [whole, ...others] = title.split(/\$\{[^}]*\}|\$\w+(?:\.\w+)*|%[sdifjop]/);
  return others.length > 0 && [whole, ...others].some((part) => part !== '' && trimmed(part) === trimmed(name));
}

const trimmed = (text) => text.replace(/^[\s:'"]+|[\s:'"]+$/g, '');
