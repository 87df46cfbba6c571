// Writes src/api/schema.gen.ts from ../api/openapi.json. test/schema.test.ts fails when the two differ.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

const WEB = join(import.meta.dirname, '..');
const DOCUMENT = join(WEB, '../api/openapi.json');
export const TARGET = join(WEB, 'src/api/schema.gen.ts');

const METHODS = ['get', 'post', 'put', 'delete'];

/** The types of all endpoints: method and path with the types of request and response. */
function endpoints({ paths }) {
  const lines = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const name = item[method].operationId.replace(/(?:^|_)([a-z])/g, (_, letter) => letter.toUpperCase());
      return `    '${method.toUpperCase()} ${path}': { request: ${name}Data; response: ${name}Response };`;
    }),
  );
  return ['', 'export interface Endpoints {', ...lines, '}', ''].join('\n');
}

/** The endpoints that change no record although their method is not GET. */
function reads({ paths }) {
  const names = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]?.['x-reads']).map((method) => `${method.toUpperCase()} ${path}`),
  );
  return `\nexport const READS = ${JSON.stringify(names)} as const;\n`;
}

/**
 * The sort columns and filters of the device list as values, each filter with its schema. The page builds its fields from them,
 * so that a new filter needs only a label there.
 */
function deviceList({ paths, components }) {
  const parameters = paths['/api/devices'].get.parameters.filter(({ in: where }) => where === 'query');
  const resolve = ({ $ref, ...schema }) => ($ref ? components.schemas[$ref.split('/').at(-1)] : schema);
  const entries = parameters.map(({ name, schema }) => [name, resolve(schema)]);
  const filters = entries.filter(([name]) => !NO_FILTERS.includes(name));
  const lines = filters.map(([name, schema]) => {
    const { description: _, title: _title, ...rest } = schema;
    return `    ${name}: ${JSON.stringify(rest)},`;
  });
  const { orderBy } = Object.fromEntries(entries);
  return [
    '',
    `export const DEVICE_SORTS = ${JSON.stringify(orderBy.enum)} as const;`,
    '',
    'export const DEVICE_FILTERS = {',
    ...lines,
    '} as const;',
    '',
  ].join('\n');
}

/** Enumerations as values, which the query strings of pages may name. */
const NAMED = {
  AUDIT_OPERATIONS: 'AuditOperation',
  ATTENTION_KINDS: 'AttentionKind',
  ATTENTION_SEVERITIES: 'AttentionSeverity',
  ATTENTION_STATES: 'AttentionState',
};

function namedValues({ components }) {
  const lines = Object.entries(NAMED).map(
    ([name, schema]) => `\nexport const ${name} = ${JSON.stringify(components.schemas[schema].enum)} as const;\n`,
  );
  return lines.join('');
}

/** Parameters of the list that are not filters. */
const NO_FILTERS = ['page', 'pageSize', 'order', 'orderBy', 'radius', 'excludeDsn'];

export async function readDocument() {
  return JSON.parse(await readFile(DOCUMENT, 'utf8'));
}

/** Generates the types for an OpenAPI document. */
export async function generate(document) {
  const output = await mkdtemp(join(tmpdir(), 'sillage-api-'));
  try {
    await createClient({
      input: document,
      output: { path: output },
      plugins: ['@hey-api/typescript'],
      logs: { level: 'silent', file: false },
    });
    const types = await readFile(join(output, 'types.gen.ts'), 'utf8');
    return types + endpoints(document) + reads(document) + deviceList(document) + namedValues(document);
  } finally {
    await rm(output, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(TARGET, await generate(await readDocument()));
}
