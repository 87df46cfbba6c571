import { expect, test } from 'vitest';
import { readFleetSearch, toFleetQuery } from './fleet-search';

const read = (raw: object) => toFleetQuery(readFleetSearch(raw));

test.each([
  [{}, { days: 28 }],
  [{ days: '28' }, { days: 28 }],
  [{ days: '365' }, { days: 365 }],
  [{ days: '30' }, { days: 28 }],
  [{ days: 'x'.repeat(1_000) }, { days: 28 }],
  [{ csp: ' North ' }, { days: 28, csp: 'North' }],
  [{ customer: '' }, { days: 28 }],
  [{ customer: 7 }, { days: 28 }],
  [
    { days: '7', customer: 'Hotel', fragrance: 'Fig' },
    { days: 7, customer: 'Hotel' },
  ],
  [{ fragrance: 'Fig' }, { days: 28, fragrance: 'Fig' }],
  [
    { days: '7', month: '2026-11', csp: 'North' },
    { month: '2026-11', csp: 'North' },
  ],
  [{ days: '7', month: '2026-13' }, { days: 7 }],
  [{ month: 202611 }, { days: 28 }],
])('the query string %j is read as %j', (raw, query) => {
  expect(read(raw)).toEqual(query);
});

test('a longer name than the server accepts is cut', () => {
  expect(read({ customer: 'ä'.repeat(300) }).customer).toHaveLength(255);
});
