import { expect, test } from 'vitest';
import { exactValue, filterText } from './exact-filter';

test.each([
  ['"Boston"', 'Boston'],
  ['"12" pipe"', '12" pipe'],
  ['Boston', undefined],
  ['"Boston', undefined],
  ['Boston"', undefined],
  ['"', undefined],
  ['""', undefined],
])('the exact value of %s is %s', (filter, value) => {
  expect(exactValue(filter)).toBe(value);
  expect(filterText(filter)).toBe(value ?? filter);
});
