import { expect, test } from 'vitest';
import { devicesList, toDeviceListQuery } from './devices-search';

test('the list begins with five devices, the newest first', () => {
  expect(devicesList.defaults).toEqual({ page: 1, page_size: 5, order: 'desc', order_by: 'created_at' });
});

test('good values are mapped to the names of the API', () => {
  const raw = { page: '2', page_size: '25', order: 'asc', order_by: 'city', connectionstatus: 'Offline', dsn: '123' };
  expect(toDeviceListQuery(devicesList.read(raw))).toEqual({
    page: 2,
    pageSize: 25,
    order: 'asc',
    orderBy: 'city',
    connectionstatus: 'Offline',
    dsn: '123',
  });
});

test('every filter is read, as text', () => {
  const raw = Object.fromEntries(devicesList.filterNames.map((name) => [name, ` ${name} 7 `]));
  const { connectionstatus, ...texts } = devicesList.filters(raw);
  expect(connectionstatus).toBeUndefined();
  for (const [name, value] of Object.entries(texts)) expect(value).toBe(`${name} 7`);
  expect(devicesList.filters({ connectionstatus: 'Online' })).toMatchObject({ connectionstatus: 'Online' });
});

test('a CSP is looked for by its whole name, other texts by as much as the server takes', () => {
  const long = 'x'.repeat(255);
  expect(devicesList.read({ csp: long, customer: long })).toMatchObject({ csp: long, customer: 'x'.repeat(64) });
});
