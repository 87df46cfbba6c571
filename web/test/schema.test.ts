import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generate, TARGET } from '../tools/gen-api.mjs';

test('the committed API types are those of api/openapi.json', async () => {
  const isFresh = (await readFile(TARGET, 'utf8')) === (await generate());
  expect(isFresh, 'stale: npm run gen rewrites them').toBe(true);
});
