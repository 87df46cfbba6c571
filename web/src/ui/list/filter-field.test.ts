import { expect, test } from 'vitest';
import { activeFilters, type FilterField, filterTexts } from './filter-field';

const FIELDS: FilterField[] = [
  { name: 'dsn', label: 'DSN', Input: () => null },
  { name: 'model', label: 'Model', Input: () => null, words: (code) => `Series ${code}` },
  {
    name: 'confirmed',
    label: 'Confirmed',
    Input: () => null,
    words: (value) => (value === 'true' ? 'Yes' : 'No'),
    titleWords: (value) => (value === 'true' ? 'Confirmed' : 'Not confirmed'),
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
  [{}, []],
  [{ dsn: 'AC' }, ['AC']],
  [{ model: '290', dsn: 'AC' }, ['AC', 'Series 290']],
  [{ model: '290', confirmed: 'false' }, ['Series 290', 'Not confirmed']],
])('the texts of %j in a title are %j', (filters, texts) => {
  expect(filterTexts(FIELDS, filters)).toEqual(texts);
});
