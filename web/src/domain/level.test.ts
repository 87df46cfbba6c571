import { readFileSync } from 'node:fs';
import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { LOW_PRODUCT_PERCENT, levelOf } from './level';

const PERCENTAGES = vectors<{ percent: number; class: number }>('level');

test.each([
  ...PERCENTAGES.map((one): [number, number] => [one.percent, one.class]),
  [-3, 0],
  [0.4, 0],
  [0.5, 25],
  [24.4, 25],
  [24.9, 50],
  [49.4, 50],
  [49.9, 75],
  [74.4, 75],
  [74.9, 100],
])('%d percent has class %i', (percent, level) => {
  expect(levelOf(percent)).toBe(level);
});

test('the help uses the limit of the trigger', () => {
  const rules = readFileSync(new URL('../../../crates/diffuser/src/cartridge/level.rs', import.meta.url), 'utf8');
  expect(rules).toContain(`pub const LOW_PRODUCT_PERCENT: u8 = ${LOW_PRODUCT_PERCENT};`);
});
