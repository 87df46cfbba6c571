import { expect, test } from 'vitest';
import { activeFilters, type FilterField, filterTexts } from './filter-field';

const FIELDS: FilterField[] = [
  { name: 'dsn', label: 'DSN', Input: () => null },
  { name: 'model', label: 'Model', Input: () => null, words: (code) => `Series ${code}` },
  { name: 'city', label: 'City', takesQuotes: true },
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

test('a filter in quotes is shown without them if it matches whole values, and otherwise as it is', () => {
  expect(activeFilters(FIELDS, { city: '"Boston"', dsn: '"AC"' })).toEqual([
    { name: 'dsn', label: 'DSN', value: '"AC"' },
    { name: 'city', label: 'City:', value: 'Boston' },
  ]);
  expect(activeFilters(FIELDS, { city: 'Bos' })).toEqual([{ name: 'city', label: 'City', value: 'Bos' }]);
});

test.each([
  [{}, []],
  [{ dsn: 'AC' }, ['AC']],
  [{ city: '"Boston"', dsn: '"AC"' }, ['"AC"', 'Boston']],
  [{ model: '290', dsn: 'AC' }, ['AC', 'Series 290']],
  [{ model: '290', confirmed: 'false' }, ['Series 290', 'Not confirmed']],
])('the texts of %j in a title are %j', (filters, texts) => {
  expect(filterTexts(FIELDS, filters)).toEqual(texts);
});
