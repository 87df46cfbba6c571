import { expect, test } from 'vitest';
import { monthName, monthOf, monthsUpTo } from './months';

test('months go back over the turn of the year', () => {
  expect(monthsUpTo(new Date('2026-02-28T23:59:59Z'), 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11']);
  expect(monthsUpTo(new Date('2026-03-31T00:00:00Z'), 2)).toEqual(['2026-03', '2026-02']);
  expect(monthOf(new Date('2026-12-01T09:00:00+13:00')), 'where it is December already').toBe('2026-11');
  expect(monthName('2025-12')).toBe('December 2025');
});
