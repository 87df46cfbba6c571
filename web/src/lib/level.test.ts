import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { levelOf } from './level';

const PERCENTAGES = vectors<{ percent: number; class: number }>('level');

test.each([
  ...PERCENTAGES.map((one): [number, number] => [one.percent, one.class]),
  [-3, 0],
  [0.4, 0],
  [0.5, 25],
  [24.6, 50],
])('%d percent has class %i', (percent, level) => {
  expect(levelOf(percent)).toBe(level);
});
