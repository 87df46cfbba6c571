import { expect, test } from 'vitest';
import { clampIntensity, isOn, maxIntensity } from './settings-rules';

test.each([
  ['AQ290', 1, 49],
  ['AQ290', 2, 45],
  ['AQ290', 3, 40],
  ['AQ290', null, 50],
  ['AQ380', 3, 50],
  [null, 1, 50],
])('the maximum of %s with off-cycle %s is %i', (configuration, cycle, max) => {
  expect(maxIntensity(configuration, cycle)).toBe(max);
});

test.each([
  [50, 40, 40],
  [40, 40, 40],
  [0, 50, 1],
  [12.4, 50, 12],
])('%d clamped to %i is %i', (intensity, max, clamped) => {
  expect(clampIntensity(intensity, max)).toBe(clamped);
});

test('a device runs in modes 3 and 4 only', () => {
  expect([1, 2, 3, 4].filter(isOn)).toEqual([3, 4]);
});
