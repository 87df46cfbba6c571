import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { clampIntensity, isOn, maxIntensity } from './settings-rules';

interface Maximum {
  configuration: string;
  cycle: number | null;
  max: number;
}

test('the maximum agrees with the vectors', () => {
  const maxima = vectors<Maximum>('max-intensity');
  expect(maxima.length).toBeGreaterThan(20);
  for (const { configuration, cycle, max } of maxima) {
    expect(maxIntensity(configuration, cycle), `${configuration} with off-cycle ${cycle}`).toBe(max);
  }
});

test('a device without a system configuration has the widest limit', () => {
  expect(maxIntensity(null, 1)).toBe(50);
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
