import { expect, test } from 'vitest';
import {
  DEVICE_FILTERS,
  DEVICES_DEFAULTS,
  deviceFilters,
  devicesSearch,
  nextSort,
  toDeviceListQuery,
} from './devices-search';

type Raw = Parameters<typeof devicesSearch>[0];
const read = (raw: Record<string, string>) => devicesSearch(raw as unknown as Raw);

test('an empty query is the default list', () => {
  expect(read({})).toEqual(DEVICES_DEFAULTS);
});

test('every value that makes no sense falls back to its default', () => {
  const raw = { page: 'zzz', page_size: '7', order: 'up', order_by: 'evil', connectionstatus: 'Maybe', dsn: '  ' };
  expect(read(raw)).toEqual(DEVICES_DEFAULTS);
});

test('good values are kept, and mapped to the names of the API', () => {
  const raw = { page: '2', page_size: '25', order: 'asc', order_by: 'city', connectionstatus: 'Offline', dsn: '123' };
  expect(toDeviceListQuery(read(raw))).toEqual({
    page: 2,
    pageSize: 25,
    order: 'asc',
    orderBy: 'city',
    connectionstatus: 'Offline',
    dsn: '123',
  });
});

test('every filter is read, as text', () => {
  const raw = Object.fromEntries(DEVICE_FILTERS.map((name) => [name, ` ${name} 7 `]));
  const read = deviceFilters({ ...raw, connectionstatus: 'Online' });
  for (const name of DEVICE_FILTERS) expect(read[name]).toBe(name === 'connectionstatus' ? 'Online' : `${name} 7`);
  expect(Object.values(deviceFilters({})).filter((value) => value !== undefined)).toEqual([]);
});

test('a header sorts up, then down, then gives the default order back', () => {
  const search = read({ page: '4' });
  const up = { ...search, ...nextSort(search, 'customer') };
  expect(up).toMatchObject({ order_by: 'customer', order: 'asc' });
  const down = { ...up, ...nextSort(up, 'customer') };
  expect(down).toMatchObject({ order_by: 'customer', order: 'desc' });
  expect(nextSort(down, 'customer')).toEqual({ order_by: 'created_at', order: 'desc' });
});

test('a CSP is looked for by its whole name, other texts by as much as the server takes', () => {
  const long = 'x'.repeat(255);
  expect(read({ csp: long, customer: long })).toMatchObject({ csp: long, customer: 'x'.repeat(64) });
});
