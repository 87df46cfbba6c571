// Writes src/api/schema.gen.ts from ../api/openapi.json. test/schema.test.ts fails when the two differ.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const WEB = join(import.meta.dirname, '..');
export const TARGET = join(WEB, 'src/api/schema.gen.ts');

/** The text of the types, made in a scratch folder. */
export async function generate() {
  const output = await mkdtemp(join(tmpdir(), 'sillage-api-'));
  try {
    await createClient({
      input: join(WEB, '../api/openapi.json'),
      output: { path: output },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    return await readFile(join(output, 'types.gen.ts'), 'utf8');
  } finally {
    await rm(output, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(TARGET, await generate());
}
