import { expect, test } from 'vitest';
import { lastPage, listFooter } from './list-footer';

test.each([
  [1, 5, 5, 12, 'Devices 1 - 5 of 12'],
  [2, 5, 5, 12, 'Devices 6 - 10 of 12'],
  [3, 5, 2, 12, 'Devices 11 - 12 of 12'],
  [1, 25, 0, 0, 'Devices 0 - 0 of 0'],
])('page %i of size %i with %i of %i rows', (page, size, shown, total, text) => {
  expect(listFooter('Devices', page, size, shown, total)).toBe(text);
});

test.each([
  [0, 5, 1],
  [5, 5, 1],
  [6, 5, 2],
])('%i rows in pages of %i end on page %i', (total, size, last) => {
  expect(lastPage(total, size)).toBe(last);
});

test('large numbers have separators of thousands', () => {
  expect(listFooter('Devices', 201, 5, 5, 5000)).toBe('Devices 1,001 - 1,005 of 5,000');
});
