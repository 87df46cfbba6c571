import ts from 'typescript';
import { expect, test } from 'vitest';
import { findNewApis } from '../tools/new-apis';

const [application, worker] = ['tsconfig.json', 'src/worker/tsconfig.json'].map((file) => {
  const folder = file.replace('tsconfig.json', '');
  return ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config, ts.sys, `./${folder}`);
}) as [ts.ParsedCommandLine, ts.ParsedCommandLine];
const isShipped = (name: string) => /(^|\/)src\/(?!.*\.test\.tsx?$)/.test(name) && !name.includes('node_modules');

test.each([
  ['application', application, 300],
  ['worker', worker, 1],
])('the %s uses only APIs of the supported browsers', (_, { fileNames, options }, least) => {
  const program = ts.createProgram(fileNames, options);
  const shipped = program.getSourceFiles().filter(({ fileName }) => isShipped(fileName));
  expect(shipped.length).toBeGreaterThanOrEqual(least);
  expect(findNewApis(program, isShipped)).toEqual([]);
});

test('a use of an API that is newer than a supported browser is found with its place', () => {
  const source = [
    "URL.parse('/devices', location.origin);",
    "new URL('/devices', location.origin);",
    'AbortSignal.any([]);',
    'Promise.withResolvers();',
    '[1].at(0);',
  ];
  const host = ts.createCompilerHost(application.options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    name === 'probe.ts'
      ? ts.createSourceFile(name, source.join('\n'), ts.ScriptTarget.ES2023)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram(
    ['probe.ts'],
    { ...application.options, lib: ['lib.esnext.d.ts', 'lib.dom.d.ts'] },
    host,
  );
  expect(findNewApis(program, (name) => name === 'probe.ts')).toEqual([
    'probe.ts:1 URL.parse is missing in chrome, edge, firefox, safari, safari_ios',
    'probe.ts:3 AbortSignal.any is missing in firefox',
    'probe.ts:4 Promise.withResolvers is missing in firefox',
  ]);
});
