import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { SYSTEM_CONFIGURATIONS } from './system-configurations';

test('names, labels and their order are those of the server', () => {
  const known = vectors<{ cartName: string; label: string }>('configurations');
  expect(Object.entries(SYSTEM_CONFIGURATIONS)).toEqual(known.map(({ cartName, label }) => [cartName, label]));
});
