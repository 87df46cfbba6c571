import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { generate, readDocument, TARGET } from '../tools/gen-api.mjs';

const SRC = join(import.meta.dirname, '../src');

/** What the type check says of a file when the API types are these. */
function typeErrors(file: string, types: string): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(SRC, '../tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    join(SRC, '..'),
  );
  const host = ts.createCompilerHost(options);
  const readFile = host.readFile.bind(host);
  host.readFile = (path) => (path === TARGET ? types : readFile(path));
  const program = ts.createProgram([join(SRC, file)], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(join(SRC, file)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

test('the committed API types are those of api/openapi.json', async () => {
  const isFresh = readFileSync(TARGET, 'utf8') === (await generate(await readDocument()));
  expect(isFresh, 'stale: npm run gen rewrites them').toBe(true);
});

test('a changed response or path in api/openapi.json fails the type check of its caller', async () => {
  const document = await readDocument();
  expect(typeErrors('api/account.ts', await generate(document))).toEqual([]);

  const changed = structuredClone(document);
  const content = changed.paths['/api/account'].get.responses['200'].content['application/json'];
  expect(content.schema).toEqual({ $ref: '#/components/schemas/Profile' });
  content.schema = { type: 'string' };
  expect(typeErrors('api/account.ts', await generate(changed))).toContainEqual(expect.stringContaining('string'));

  const moved = structuredClone(document);
  moved.paths['/api/profile'] = moved.paths['/api/account'];
  delete moved.paths['/api/account'];
  expect(typeErrors('api/account.ts', await generate(moved))).toContainEqual(expect.stringContaining('/api/account'));
});

test('no call pairs an endpoint with a type by hand', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const calls = files.flatMap((name) => {
    const text = readFileSync(join(SRC, name), 'utf8');
    return [...text.matchAll(/\bcall(?:ForFile)?\s*<(?!E extends)[^>]*>\s*\(/g)].map(([found]) => `${name}: ${found}`);
  });
  expect(calls).toEqual([]);
  const fetches = files.filter(
    (name) => !/\.test\.tsx?$|^worker\//.test(name) && /\bfetch\(/.test(readFileSync(join(SRC, name), 'utf8')),
  );
  expect(fetches).toEqual(['api/http.ts']);
});
