import { expect, test } from 'vitest';
import { activeFilters, type FilterField, mainFilter } from './filter-field';

const FIELDS: FilterField[] = [
  { name: 'dsn', label: 'DSN', Input: () => null },
  { name: 'model', label: 'Model', Input: () => null, words: (code) => `Series ${code}` },
  {
    name: 'confirmed',
    label: 'Confirmed',
    Input: () => null,
    words: (value) => (value === 'true' ? 'Yes' : 'No'),
    fileWords: (value) => (value === 'true' ? 'Confirmed' : 'Not confirmed'),
  },
];

test('active filters are the set ones, in the order of the fields, as text', () => {
  expect(activeFilters(FIELDS, { confirmed: 'true', dsn: 'AC', other: 'x' })).toEqual([
    { name: 'dsn', label: 'DSN', value: 'AC' },
    { name: 'confirmed', label: 'Confirmed', value: 'Yes' },
  ]);
  expect(activeFilters(FIELDS, { dsn: undefined })).toEqual([]);
});

test.each([
  [{}, undefined],
  [{ dsn: 'AC' }, 'AC'],
  [{ dsn: 'AC', model: '290' }, 'Series 290'],
  [{ model: '290', confirmed: 'false' }, 'Not confirmed'],
])('the main filter of %j is %s', (filters, words) => {
  expect(mainFilter(FIELDS, filters)).toBe(words);
});
