// @vitest-environment jsdom
import { beforeEach, expect, test } from 'vitest';
import { forgetFilters, rememberFilters, takeFilters } from './filter-memory';

beforeEach(() => sessionStorage.clear());

test('each path has its own filters, and gives them once', () => {
  rememberFilters('/devices', { customer: 'Harbor' });
  expect(takeFilters('/users')).toBeUndefined();
  expect(takeFilters('/devices')).toEqual({ customer: 'Harbor' });
  expect(takeFilters('/devices')).toBeUndefined();
});

test('the last filters count, and none at all leave nothing behind', () => {
  rememberFilters('/devices', { customer: 'Harbor' });
  rememberFilters('/devices', { city: 'Oslo' });
  expect(takeFilters('/devices')).toEqual({ city: 'Oslo' });
  rememberFilters('/devices', { city: 'Oslo' });
  rememberFilters('/devices', {});
  expect(sessionStorage).toHaveLength(0);
});

test('forgetting is for all lists, and for nothing else', () => {
  rememberFilters('/devices', { city: 'Oslo' });
  rememberFilters('/users', { email: 'a' });
  sessionStorage.setItem('return-url', '/devices');
  forgetFilters();
  expect(Object.keys(sessionStorage)).toEqual(['return-url']);
});

test.each(['{', 'null', '7', '""'])('a memory of %s is none', (text) => {
  sessionStorage.setItem('filters:/devices', text);
  expect(takeFilters('/devices') ?? {}).toEqual({});
});

test('only strings are restored', () => {
  sessionStorage.setItem('filters:/devices', '{"city":"Oslo","page":7,"dsn":null}');
  expect(takeFilters('/devices')).toEqual({ city: 'Oslo' });
});
