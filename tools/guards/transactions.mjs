// No HTTP handler of the cloud opens a transaction or writes in one. Services do, so that a change can run to its end although
// its client disconnects.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { trackedFiles } from './committed.mjs';
import { withoutComments } from './test-names.mjs';

const HANDLERS = /^crates\/cloud\/src\/http(\/.*)?\.rs$/;
const FAULTS = [
  [/(\.|::)\s*begin\b|\bdb\s*\.\s*write\b|\bDb::write\b/g, 'opens a transaction'],
  [/\bTx\b/g, 'uses the type of a transaction'],
  [/&mut \**\w*tx\b/g, 'writes in a transaction'],
];

export function transactionFaults(root) {
  const files = trackedFiles(root).filter((path) => HANDLERS.test(path));
  return files.flatMap((path) => {
    const code = withoutComments(readFileSync(join(root, path), 'utf8'));
    return FAULTS.flatMap(([pattern, fault]) =>
      [...code.matchAll(pattern)].map(({ index }) => `${path}:${line(code, index)}: ${fault}; move it into a service`),
    );
  });
}

const line = (text, index) => text.slice(0, index).split('\n').length;
