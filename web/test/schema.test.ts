import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { READS } from '@/api/schema.gen';
import { generate, readDocument, TARGET } from '../tools/gen-api.mjs';

const SRC = join(import.meta.dirname, '../src');

/** The type errors of a file with these API types. */
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

test('the endpoints without a key are those that api/openapi.json marks as reads', async () => {
  const document = await readDocument();
  expect(READS).toContain('POST /api/devices/csp/preview');
  expect(READS).not.toContain('PUT /api/account');
  document.paths['/api/account'].put['x-reads'] = true;
  delete document.paths['/api/devices/csp/preview'].post['x-reads'];
  const expected = READS.filter((endpoint) => endpoint !== 'POST /api/devices/csp/preview');
  const [line] = /^export const READS = .*$/m.exec(await generate(document)) ?? [];
  for (const endpoint of [...expected, 'PUT /api/account']) expect(line).toContain(`"${endpoint}"`);
  expect(line).not.toContain('csp/preview');
});

/** The API calls in a text whose types are written by hand: `call<T>(…)` or `call(…) as T`. */
function handTypedCalls(text: string): string[] {
  const found: string[] = [];
  const isCall = (node: ts.Node): node is ts.CallExpression =>
    ts.isCallExpression(node) && ts.isIdentifier(node.expression) && /^call(ForFile)?$/.test(node.expression.text);
  const inner = (node: ts.Expression): ts.Expression =>
    ts.isParenthesizedExpression(node) || ts.isAwaitExpression(node) || ts.isAsExpression(node)
      ? inner(node.expression)
      : node;
  const visit = (node: ts.Node) => {
    if (isCall(node) && node.typeArguments) found.push(node.getText());
    if (ts.isAsExpression(node) && isCall(inner(node))) found.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('text.tsx', text, ts.ScriptTarget.Latest, true));
  return found;
}

test.each([
  "const a = call<Profile>('GET /api/account');",
  "const a = call<Page<Row>>('GET /api/account');",
  "const a = (await call('GET /api/account')) as Profile;",
  "const a = call('GET /api/account') as Promise<Profile>;",
  "const a = callForFile('GET /api/users/report') as unknown as Promise<string>;",
])('a type by hand is found: %s', (text) => {
  expect(handTypedCalls(text).length).toBeGreaterThan(0);
});

test('no call pairs an endpoint with a type by hand', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
  const text = (name: string) => readFileSync(join(SRC, name), 'utf8');
  expect(files.flatMap((name) => handTypedCalls(text(name)))).toEqual([]);
  const other = files.filter((name) => !/\.test\.tsx?$|^worker\//.test(name) && /\bfetch\(/.test(text(name)));
  // `release.ts` asks for the page itself.
  expect(other.sort(), 'files that call `fetch` past `call`').toEqual(['api/http.ts', 'browser/release.ts']);
});
