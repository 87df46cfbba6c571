import { expect, test } from 'vitest';
import { defineList, nextSort } from './list';
import { oneOf, textFilter } from './search-state';

const list = defineList({
  name: 'users',
  sorts: ['created_at', 'name'],
  filters: { name: (raw) => textFilter(raw), confirmed: (raw) => oneOf(['true', 'false'], raw) },
  start: { page_size: 25, order: 'desc', order_by: 'created_at' },
});
const START = { page: 1, order: 'desc', order_by: 'created_at' };

test('an empty query is the default list', () => {
  expect(list.read({})).toEqual(START);
  expect(list.defaults).toEqual(START);
});

test('the page size is that of the URL, otherwise the preferred one, otherwise the default', () => {
  expect(list.shown(list.read({}), undefined)).toEqual({ ...START, page_size: 25 });
  expect(list.shown(list.read({}), 5)).toMatchObject({ page_size: 5 });
  expect(list.shown(list.read({ page_size: '50' }), 5)).toMatchObject({ page_size: 50 });
  expect(list.shown(list.read({ page_size: '25' }), 5)).toMatchObject({ page_size: 25 });
  expect(list.shown(list.read({ page_size: '7' }), 5)).toMatchObject({ page_size: 5 });
});

test('invalid values fall back to their defaults', () => {
  const raw = { page: 'zzz', page_size: '7', order: 'up', order_by: 'evil', name: '  ', confirmed: 'maybe' };
  expect(list.read(raw)).toEqual(START);
});

test('only valid values are kept', () => {
  const raw = { page: '2', page_size: '50', order: 'asc', order_by: 'name', name: ' Dana ', confirmed: 'true', x: '1' };
  const read = { page: 2, page_size: 50, order: 'asc', order_by: 'name', name: 'Dana', confirmed: 'true' };
  expect(list.read(raw)).toEqual(read);
  expect(list.filters(raw)).toEqual({ name: 'Dana', confirmed: 'true' });
});

test('unset filters are present by name, so that they can be removed', () => {
  expect(Object.keys(list.filters({}))).toEqual(['name', 'confirmed']);
  expect(list.filterNames).toEqual(['name', 'confirmed']);
});

test('a header sorts ascending, then descending, then restores the default order', () => {
  const view = list.read({ page: '4' });
  const up = { ...view, ...nextSort(view, 'name', list.defaults) };
  expect(up).toMatchObject({ order_by: 'name', order: 'asc' });
  const down = { ...up, ...nextSort(up, 'name', list.defaults) };
  expect(down).toMatchObject({ order_by: 'name', order: 'desc' });
  expect(nextSort(down, 'name', list.defaults)).toEqual({ order_by: 'created_at', order: 'desc' });
});
