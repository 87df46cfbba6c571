import { describe, expect, test } from 'vitest';
import { oneOf, PAGE_SIZES, pageNumber, parseSearch, stringifySearch, textFilter } from './search-state';

describe('parseSearch', () => {
  test('keeps every value as text', () => {
    expect(parseSearch('?dsn=123&page=2&x=true')).toEqual({ dsn: '123', page: '2', x: 'true' });
  });
  test('takes the first of a repeated key', () => {
    expect(parseSearch('?page=2&page=3')).toEqual({ page: '2' });
  });
  test('survives broken escapes and inherited names', () => {
    expect(parseSearch('?a=%E0%A4%A&toString=1')).toMatchObject({ toString: '1' });
  });
});

test('stringifySearch omits empty values and can be read back', () => {
  const query = stringifySearch({ page: 2, dsn: 'a b&c=d', connectionstatus: undefined, empty: '' });
  expect(query).toBe('?page=2&dsn=a+b%26c%3Dd');
  expect(parseSearch(query)).toEqual({ page: '2', dsn: 'a b&c=d' });
  expect(stringifySearch({})).toBe('');
});

test.each([
  ['1', 1],
  ['25', 25],
  [3, 3],
  ['0', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['1e3', undefined],
  ['99999999', undefined],
  ['zzz', undefined],
  ['', undefined],
  [undefined, undefined],
])('pageNumber(%j) is %j', (raw, expected) => {
  expect(pageNumber(raw)).toBe(expected);
});

test.each([
  ['5', 5],
  [50, 50],
  ['7', undefined],
  ['5.0', undefined],
  [undefined, undefined],
])('page size %j is %j', (raw, expected) => {
  expect(oneOf(PAGE_SIZES, raw)).toBe(expected);
});

test.each([
  ['  AC00 ', 'AC00'],
  ['   ', undefined],
  [7, undefined],
  ['x'.repeat(500), 'x'.repeat(64)],
])('text filter %j', (raw, expected) => {
  expect(textFilter(raw)).toBe(expected);
});
