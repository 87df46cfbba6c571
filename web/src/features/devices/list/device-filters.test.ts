import { expect, test } from 'vitest';
import { readDocument } from '../../../../tools/gen-api.mjs';
import { deviceFilterFields } from './device-filters';

test('labels of the filters equal those of the reports', async () => {
  const { paths } = await readDocument();
  const parameters: { name: string; schema: { title?: string } }[] = paths['/api/devices'].get.parameters;
  const labels = new Map(deviceFilterFields({ seesCsp: true }).map(({ name, label }) => [name, label]));
  const titled = parameters.filter(({ schema }) => schema.title !== undefined);
  expect(titled.length).toBeGreaterThan(10);
  expect(titled.map(({ name }) => [name, labels.get(name)])).toEqual(
    titled.map(({ name, schema }) => [name, schema.title]),
  );
});
