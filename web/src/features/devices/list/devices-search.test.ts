import { expect, test } from 'vitest';
import { DEVICE_FILTERS } from '@/api/schema.gen';
import { type DeviceFilter, devicesList, toDeviceFilter, toDeviceListQuery } from './devices-search';

test('the list begins with five devices, the newest first', () => {
  const start = { page: 1, page_size: 5, order: 'desc', order_by: 'created_at' };
  expect(devicesList.shown(devicesList.read({}), undefined)).toEqual(start);
});

test('good values are mapped to the names of the API', () => {
  const raw = { page: '2', page_size: '25', order: 'asc', order_by: 'city', connectionstatus: 'Offline', dsn: '123' };
  expect(toDeviceListQuery(devicesList.shown(devicesList.read(raw), undefined))).toEqual({
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
  const isText = (name: string) => name !== 'near' && 'maxLength' in DEVICE_FILTERS[name as DeviceFilter];
  expect(devicesList.filterNames.filter(isText).length).toBeGreaterThan(10);
  for (const [name, value] of Object.entries(devicesList.filters(raw))) {
    expect(value, name).toBe(isText(name) ? `${name} 7` : undefined);
  }
  expect(devicesList.filters({ connectionstatus: 'Online' })).toMatchObject({ connectionstatus: 'Online' });
});

test("texts are limited to the server's maximum length: of values that can be chosen, a whole one", () => {
  const [long, part] = ['x'.repeat(255), 'x'.repeat(64)];
  const search = devicesList.read({ csp: long, customer: `"${long}"`, serialnumber: long });
  expect(search).toMatchObject({ csp: long, customer: `"${long}"`, serialnumber: part });
});

test.each([
  ['maxremaining', ['0', '20', '100'], ['-1', '101', '1.5', '1e1', '', 'x', '00100']],
  ['offlinehours', ['1', '72', '8760'], ['0', '8761', '-1', '1.5', '99999', 'x']],
  ['runsdrydays', ['1', '7', '365'], ['0', '366', '-1', '1.5', 'x']],
  ['runsdrybefore', ['2026-12-24'], ['2026-13-01', '24.12.2026']],
  ['connectionstatus', ['Online', 'Offline', 'NeverConnected'], ['Never connected', 'online', '']],
  ['installedfrom', ['2026-11-20', '2024-02-29'], ['2026-13-01', '20261120', 'x', '']],
  ['installedthrough', ['2026-11-20'], ['20.11.2026']],
  ['near', ['59.91,10.75', '-33.9,-180', '90,180'], ['59.91', '59,91,10', '91,0', '0,181', 'x,y', '1e1,0', '0, 0']],
] as const)('%s is read when the server would take it, and left out otherwise', (name, good, bad) => {
  for (const value of good) expect(devicesList.read({ [name]: value })[name], value).toBe(value);
  for (const value of bad) expect(devicesList.read({ [name]: value })[name], value).toBeUndefined();
});

test("a search is limited to the server's number of words and keeps its spelling", () => {
  expect(devicesList.read({ q: ' harbor  hotels ' }).q).toBe('harbor  hotels');
  expect(devicesList.read({ q: 'a b c d e f g' }).q).toBe('a b c d e');
  expect(devicesList.read({ q: '   ' }).q).toBeUndefined();
});

test('numbers and a place are converted to parameters of the API', () => {
  const filters = devicesList.filters({ q: 'x', maxremaining: '20', offlinehours: '72', near: '59.91,10.75' });
  const mapped = { q: 'x', maxremaining: 20, offlinehours: 72, near: '59.91,10.75', radius: 50 };
  expect(toDeviceFilter(filters)).toEqual(mapped);
});

test('an order by distance requires a place', () => {
  const near = { near: '59.91,10.75', order_by: 'distance', order: 'asc' };
  expect(devicesList.read(near)).toMatchObject(near);
  expect(devicesList.read({ ...near, near: 'here' })).toMatchObject({ order_by: 'created_at', order: 'desc' });
});
