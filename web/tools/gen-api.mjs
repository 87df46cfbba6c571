// Writes src/api/schema.gen.ts from ../api/openapi.json. test/schema.test.ts fails when the two differ.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const WEB = join(import.meta.dirname, '..');
const DOCUMENT = join(WEB, '../api/openapi.json');
export const TARGET = join(WEB, 'src/api/schema.gen.ts');

const METHODS = ['get', 'post', 'put', 'delete'];

/** The types of every endpoint, which bind its method and path to what it takes and answers. */
function endpoints({ paths }) {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const name = item[method].operationId.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
      return `    '${method.toUpperCase()} ${path}': { request: ${name}Data; response: ${name}Response };`;
    }),
  );
  return ['', 'export interface Endpoints {', ...lines, '}', ''].join('\n');
}

export async function readDocument() {
  return JSON.parse(await readFile(DOCUMENT, 'utf8'));
}

/** The text of the types for an OpenAPI document. */
export async function generate(document) {
  const output = await mkdtemp(join(tmpdir(), 'sillage-api-'));
  try {
    await createClient({
      input: document,
      output: { path: output },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return (await readFile(join(output, 'types.gen.ts'), 'utf8')) + endpoints(document);
  } finally {
    await rm(output, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(TARGET, await generate(await readDocument()));
}
