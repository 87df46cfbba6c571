// The folders of the web's sources keep their meaning: a feature and `ui` have few files outside of their folders, and `domain` does
// not use the browser.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './committed.mjs';
import { withoutComments } from './test-names.mjs';

const MOST_FILES = 6;
/** A file directly in a feature or in `ui`. */
const DIRECT = /^(web\/src\/(?:features\/[^/]+|ui))\/[^/]+$/;
const DOMAIN = /^web\/src\/domain\/.*(?<!\.test)\.tsx?$/;
const TEXT = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;
/** A global variable of the browser; not a property of that name. */
const BROWSER =
  /(?:\b(?:globalThis|self)\.|(?<![\w$]|(?<!\.\.)\.))(document|window|sessionStorage|localStorage|navigator)\b(?!\??:)/g;

export function roomFaults(root) {
  const files = trackedFiles(root);
  return [
    ...directFaults(files),
    ...files.filter((path) => DOMAIN.test(path)).flatMap((path) => browserFaults(path, readFileSync(join(root, path), 'utf8'))),
  ];
}

function directFaults(files) {
  const counts = new Map();
  for (const path of files) {
    const [, folder] = DIRECT.exec(path) ?? [];
    if (folder) counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([folder, count]) => `${folder}: ${count} files, at most ${MOST_FILES}; move some into its folders`);
}

function browserFaults(path, text) {
  const code = withoutComments(text).replace(TEXT, "''");
  return [...code.matchAll(BROWSER)].map(
    ({ index, 1: name }) => `${path}:${code.slice(0, index).split('\n').length}: ${name}; web/src/browser uses the browser`,
  );
}
