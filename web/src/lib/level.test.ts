import { expect, test } from 'vitest';
import { levelOf } from './level';

test.each([
  [-3, 0],
  [0, 0],
  [0.4, 0],
  [0.5, 25],
  [1, 25],
  [24, 25],
  [24.6, 50],
  [25, 50],
  [49, 50],
  [50, 75],
  [74, 75],
  [75, 100],
  [100, 100],
])('%d percent has class %i', (percent, level) => {
  expect(levelOf(percent)).toBe(level);
});
